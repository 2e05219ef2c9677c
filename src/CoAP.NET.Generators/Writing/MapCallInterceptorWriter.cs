using System.Linq;
using CoAP.NET.Generators.Reading;

namespace CoAP.NET.Generators.Writing;

/// <summary>Writes the method that replaces a call.</summary>
internal static class MapCallInterceptorWriter
{
    public static void Write(CodeWriter writer, InterceptedMapCall call, int number)
    {
        bool hasMethods = call.Method == "Map";
        writer.Line()
            .Line($"// {call.Method} in {call.Place}")
            .Line(call.Attribute)
            .Line($"internal static CoapRouteHandlerBuilder {call.Method}{number}(this ICoapRouteBuilder routes, string "
                + $"template, {(hasMethods ? "global::System.Collections.Generic.IEnumerable<CoapMethod> methods, " : string.Empty)}global::System.Delegate handler)")
            .Open()
            .Line("global::System.ArgumentNullException.ThrowIfNull(routes);")
            .Line("global::System.ArgumentNullException.ThrowIfNull(handler);")
            .Line($"var invoke = {call.Cast};")
            .Line("CoapHandlerBinding route = new();");
        if (call.HasCbor)
        {
            writer.Line("CoapCborHandlerBinding.AddCbor(route);");
        }

        WriteNeeds(writer, call);
        writer.Line($"return route.Map(routes, template, {(hasMethods ? "methods" : $"[CoapMethod.{call.Method.Substring(3)}]")}, "
            + $"(request, cancellationToken) =>").Open();

        // Refusals come first, so that a refused request creates no services.
        for (int i = 0; i < call.Parameters.Count; i++)
        {
            ParameterWriter.WriteReading(writer, call.Parameters[i], i);
        }

        WriteAnswer(writer, call.Answer, $"invoke({string.Join(", ", call.Parameters.Select(ParameterWriter.Argument))})");
        writer.Close(");").Close();
    }

    private static void WriteNeeds(CodeWriter writer, InterceptedMapCall call)
    {
        for (int i = 0; i < call.Parameters.Count; i++)
        {
            ParameterWriter.WriteNeed(writer, call.Parameters[i], i);
        }

        string function = $"global::System.Func<CoapRequestContext, {call.Answer.Type}, CoapResult> answer = ";
        switch (call.Answer.Kind)
        {
            case HandlerResultKind.Result:
                writer.Line(function + "CoapHandlerResultConverter.FromResult;");
                break;
            case HandlerResultKind.Content:
                writer.Line(function + "CoapHandlerResultConverter.FromContent;");
                break;
            case HandlerResultKind.Text:
                writer.Line($"{function}route.Answer<{call.Answer.Type}>(CoapContentFormat.TextPlain, CoapHandlerResultConverter.FromText);");
                break;
            case HandlerResultKind.Bytes:
                writer.Line($"{function}route.Answer<{call.Answer.Type}>(CoapContentFormat.OctetStream, CoapHandlerResultConverter.FromBytes);");
                break;
            case HandlerResultKind.Memory:
                writer.Line($"{function}route.Answer<{call.Answer.Type}>(CoapContentFormat.OctetStream, CoapHandlerResultConverter.FromMemory);");
                break;
            case HandlerResultKind.Value:
                writer.Line($"{function}route.Answer<{call.Answer.Type}>();");
                break;
        }
    }

    private static void WriteAnswer(CodeWriter writer, BoundResult answer, string invocation)
    {
        if (answer.Kind == HandlerResultKind.Nothing)
        {
            if (answer.IsAsync)
            {
                writer.Line($"return CoapHandlerResultConverter.DoneAsync(request, {invocation});");
                return;
            }

            writer.Line($"{invocation};").Line("return new(CoapHandlerResultConverter.Done(request));");
            return;
        }

        writer.Line(answer.IsAsync
            ? $"return CoapHandlerResultConverter.FromAsync(request, {invocation}, answer);"
            : $"return new(answer(request, {invocation}));");
    }
}
