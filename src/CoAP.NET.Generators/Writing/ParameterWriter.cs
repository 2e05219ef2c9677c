using CoAP.NET.Generators.Reading;

namespace CoAP.NET.Generators.Writing;

/// <summary>Writes the code that finds the argument of a parameter.</summary>
internal static class ParameterWriter
{
    /// <summary>Writes the code that runs once, when the route is mapped.</summary>
    public static void WriteNeed(CodeWriter writer, BoundParameter parameter, int i)
    {
        string name = LiteralFormatter.Text(parameter.ParameterName);
        switch (parameter.Source)
        {
            case ParameterSource.Route:
                writer.Line($"route.NeedsRouteValue({LiteralFormatter.Text(parameter.Name)});");
                break;
            case ParameterSource.Service when !parameter.IsOptional:
                writer.Line($"route.NeedsService(typeof({parameter.ValueType}), {name});");
                break;
            case ParameterSource.KeyedService when !parameter.IsOptional:
                writer.Line($"route.NeedsService(typeof({parameter.ValueType}), {name}, {parameter.Key});");
                break;
            case ParameterSource.JsonBody:
                writer.Line($"var body{i} = route.Body<{parameter.ValueType}>({name}, {Text(parameter.IsOptional)}{(parameter.Parser is null ? string.Empty : $", {parameter.Parser}")});");
                break;
            case ParameterSource.ServiceOrBody:
                writer.Line($"var body{i} = route.ServiceOrBody<{parameter.ValueType}>({name}, {Text(parameter.IsOptional)});");
                break;
            case > ParameterSource.JsonBody:
                writer.Line($"route.TakesBody({name});");
                break;
        }
    }

    /// <summary>Writes the code that runs for each request, and may refuse it.</summary>
    public static void WriteReading(CodeWriter writer, BoundParameter parameter, int i)
    {
        string name = LiteralFormatter.Text(parameter.Name);
        switch (parameter.Source)
        {
            case ParameterSource.Route:
                WriteText(writer, parameter, i, $"CoapHandlerArgumentBinder.FromRoute(request, {name})",
                    $"the route value '{parameter.Name}'");
                break;
            case ParameterSource.Query:
                WriteText(writer, parameter, i, $"CoapHandlerArgumentBinder.FromQuery(request, {name}u8)",
                    $"the query argument '{parameter.Name}'");
                break;
            case ParameterSource.RouteOrQuery:
                WriteText(writer, parameter, i, $"CoapHandlerArgumentBinder.FromRouteOrQuery(request, {name}, {name}u8)",
                    $"the query argument '{parameter.Name}'");
                break;
            case ParameterSource.QueryArray:
                writer.ReturnIf(
                    $"!CoapHandlerArgumentBinder.TryGetAllFromQuery<{parameter.ValueType}>(request, {name}u8, {parameter.Parser}, out var a{i})",
                    CannotRead($"the query argument '{parameter.Name}'", parameter));
                break;
            case ParameterSource.Option when parameter.Parser is not null:
                WriteOption(writer, parameter, i);
                break;
            case ParameterSource.OptionArray:
                writer.ReturnIf(
                    $"!CoapHandlerArgumentBinder.TryGetAll<{parameter.ValueType}>(request, {parameter.Key}, {parameter.Parser}, out var a{i})",
                    CannotRead($"the option {parameter.Key}", parameter));
                break;
            case ParameterSource.TypedOption when !parameter.IsOptional:
                writer.ReturnIf($"request.Options.Get<{parameter.ValueType}>() is not {{ }} a{i}",
                    Lacks($"the option for '{parameter.ParameterName}'"));
                break;
            case ParameterSource.JsonBody or ParameterSource.ServiceOrBody:
                writer.ReturnIf($"!body{i}.TryRead(request, out var a{i}, out var refusal{i})", $"refusal{i}");
                break;
            case ParameterSource.TextBody:
                writer.ReturnIf(
                    $"!CoapHandlerArgumentBinder.TryGetText(request, {LiteralFormatter.Text(parameter.ParameterName)}, "
                        + $"{Text(parameter.IsOptional)}, out var a{i}, out var refusal{i})", $"refusal{i}");
                break;
        }
    }

    public static string Argument(BoundParameter parameter, int i) =>
        Value(parameter, i) + (MayBeNullUnsaid(parameter) ? "!" : string.Empty);

    // A default of null on a type without a question mark is intended by its author, and must not cause a warning here.
    private static bool MayBeNullUnsaid(BoundParameter parameter) =>
        parameter is
        {
            Default: "default", IsNullableValue: false,
            Source: not (ParameterSource.CancellationToken or ParameterSource.JsonBody or ParameterSource.BytesBody
                or ParameterSource.QueryArray or ParameterSource.OptionArray or ParameterSource.TextBody)
        }
        && !parameter.Type.EndsWith("?", System.StringComparison.Ordinal);

    private static string Value(BoundParameter parameter, int i) => parameter.Source switch
    {
        ParameterSource.Request => "request",
        ParameterSource.CancellationToken => "cancellationToken",
        ParameterSource.Peer => "request.Peer",
        ParameterSource.Services => parameter.IsOptional ? "request.Services" : "CoapHandlerArgumentBinder.Services(request)",
        ParameterSource.QueryArray or ParameterSource.OptionArray when parameter.IsOptional => $"a{i}.Length == 0 ? null : a{i}",
        ParameterSource.Option when parameter.Parser is null => $"request.Options.Contains({parameter.Key})",
        ParameterSource.TypedOption when parameter.IsOptional => $"request.Options.Get<{parameter.ValueType}>()",
        ParameterSource.Service =>
            $"CoapHandlerArgumentBinder.{(parameter.IsOptional ? "Optional" : string.Empty)}Service<{parameter.ValueType}>(request)",
        ParameterSource.KeyedService =>
            $"CoapHandlerArgumentBinder.{(parameter.IsOptional ? "Optional" : string.Empty)}KeyedService<{parameter.ValueType}>(request, {parameter.Key})",
        ParameterSource.ServiceOrBody => $"body{i}.Value(request, a{i}){(parameter.IsOptional ? string.Empty : "!")}",
        ParameterSource.JsonBody => parameter.IsOptional ? $"request.Payload.IsEmpty ? {Default(parameter)} : a{i}" : $"a{i}!",
        ParameterSource.TextBody => parameter.IsOptional ? $"a{i} ?? {Default(parameter)}" : $"a{i}!",
        ParameterSource.BytesBody =>
            parameter.IsOptional ? "request.Payload.IsEmpty ? null : request.Payload.ToArray()" : "request.Payload.ToArray()",
        ParameterSource.MemoryBody => parameter.IsNullableValue ? "request.Payload.IsEmpty ? null : request.Payload" : "request.Payload",
        ParameterSource.StreamBody => "request.BodyReader.AsStream()",
        ParameterSource.PipeBody => "request.BodyReader",
        _ => $"a{i}",
    };

    private static void WriteText(CodeWriter writer, BoundParameter parameter, int i, string get, string what)
    {
        bool isText = parameter.Parser!.EndsWith(".Text", System.StringComparison.Ordinal);
        if (!parameter.IsOptional)
        {
            writer.ReturnIf($"{get} is not {{ }} {(isText ? "a" : "t")}{i}", Lacks(what));
            if (!isText)
            {
                writer.ReturnIf($"!{parameter.Parser}(t{i}, out var a{i})", CannotRead(what, parameter));
            }

            return;
        }

        if (isText)
        {
            writer.Line($"var a{i} = {get}{(Default(parameter) == NullOf(parameter) ? string.Empty : $" ?? {Default(parameter)}")};")
                .Line();
            return;
        }

        writer.Line($"{parameter.Type} a{i} = {Default(parameter)};")
            .Line($"if ({get} is {{ }} t{i})")
            .Open()
            .ReturnIf($"!{parameter.Parser}(t{i}, out var v{i})", CannotRead(what, parameter))
            .Line($"a{i} = v{i};")
            .Close()
            .Line();
    }

    private static void WriteOption(CodeWriter writer, BoundParameter parameter, int i)
    {
        string what = $"the option {parameter.Key}";
        writer.ReturnIf(
            $"!CoapHandlerArgumentBinder.TryGet<{parameter.ValueType}>(request, {parameter.Key}, {parameter.Parser}, out var v{i}, out bool "
                + $"isPresent{i})",
            CannotRead(what, parameter));
        if (!parameter.IsOptional)
        {
            writer.ReturnIf($"!isPresent{i}", Lacks(what));
        }

        writer.Line($"{parameter.Type} a{i} = {(parameter.IsOptional ? $"isPresent{i} ? v{i} : {Default(parameter)}" : $"v{i}!")};").Line();
    }

    private static string Default(BoundParameter parameter) =>
        parameter.Default is null or "default" ? NullOf(parameter) : parameter.Default;

    // Both branches of a conditional expression need the same type, and 'default' would take that of the other.
    private static string NullOf(BoundParameter parameter) => $"default({parameter.Type})";

    private static string Lacks(string what) => $"CoapHandlerArgumentBinder.Lacks(request, {LiteralFormatter.Text(what)})";

    private static string CannotRead(string what, BoundParameter parameter) =>
        $"CoapHandlerArgumentBinder.CannotRead{(ParserMethodSelector.IsNumber(parameter.Parser) ? "Number" : string.Empty)}(request, {LiteralFormatter.Text(what)}, "
            + $"{LiteralFormatter.Text(TypeForPeople(parameter.ValueType))})";

    private static string TypeForPeople(string type) =>
        type.StartsWith("global::", System.StringComparison.Ordinal) ? type.Substring(type.LastIndexOf('.') + 1) : type;

    private static string Text(bool value) => value ? "true" : "false";
}
