using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Generators.Reading;

/// <summary>Determines the sources of a handler's parameters.</summary>
internal sealed class ParameterReader(ICollection<string> routeNames, MappedMethodBodies bodies, Location place,
    ICollection<Diagnostic> diagnostics)
{
    public const string Request = "CoAP.NET.CoapRequestContext";

    private const string KeyedServices = "Microsoft.Extensions.DependencyInjection.FromKeyedServicesAttribute";
    private const int ETagNumber = 4;
    private const int ContentFormatNumber = 12;

    /// <summary>Reads a parameter.</summary>
    /// <param name="parameter">The parameter, with its name and attributes.</param>
    /// <param name="type">Its type in the delegate.</param>
    /// <returns>The binding; null if there is none, which the diagnostics explain.</returns>
    public BoundParameter? Read(IParameterSymbol parameter, ITypeSymbol type)
    {
        if (parameter.RefKind != RefKind.None)
        {
            return Report(Diagnostic.Create(Descriptors.ByReference, LocationOf(parameter), parameter.Name));
        }

        UnresolvedParameter draft = new(parameter, type);
        ITypeSymbol plain = draft.Plain;
        if (MessageParameterDiagnostic.ReasonOf(plain) is { } reason)
        {
            return Refuse(draft, reason);
        }

        switch (plain.FullName())
        {
            case Request:
                return draft.Make(ParameterSource.Request);
            case "System.Threading.CancellationToken":
                return draft.Make(ParameterSource.CancellationToken);
            case "CoAP.NET.CoapPeer":
                return draft.Make(ParameterSource.Peer);
            case "System.IServiceProvider":
                return draft.Make(ParameterSource.Services);
        }

        foreach (AttributeData attribute in parameter.GetAttributes())
        {
            if (attribute.AttributeClass is { } kind && ReadAttribute(draft, attribute, kind.FullName(), out BoundParameter? bound))
            {
                return bound;
            }
        }

        if (routeNames.Contains(parameter.Name))
        {
            return ReadText(draft, ParameterSource.Route, parameter.Name);
        }

        return ReadByType(draft);
    }

    private BoundParameter? ReadByType(UnresolvedParameter draft)
    {
        ITypeSymbol plain = draft.Plain;
        switch (plain.FullName())
        {
            case "CoAP.NET.CoapETag":
                return bodies.OnlyRead
                    ? draft.Make(ParameterSource.Option, parser: ParserMethodSelector.Option(plain), key: $"{ETagNumber}")
                    : Refuse(draft,
                        "only GET and FETCH have an ETag option; take the CoapRequestContext and call CheckPreconditions for If-Match");
            case "CoAP.NET.CoapContentFormat":
                return draft.Make(ParameterSource.Option, parser: ParserMethodSelector.Option(plain), key: $"{ContentFormatNumber}");
        }

        if (plain.IsOrDerivesFrom("CoAP.NET.CoapOption"))
        {
            return plain.Implements("CoAP.NET.ITypedOption`1")
                ? draft.Make(ParameterSource.TypedOption)
                : Refuse(draft, "of typed options only those that name their own number can be found");
        }

        if (FindRawBody(plain) is { } source)
        {
            return Body(draft.Make(source));
        }

        if (ParserMethodSelector.Text(plain) is not null)
        {
            return ReadText(draft, ParameterSource.RouteOrQuery, draft.Parameter.Name);
        }

        if (plain is IArrayTypeSymbol { Rank: 1, ElementType: { } item } && ParserMethodSelector.Text(item) is { } parser)
        {
            return draft.Make(ParameterSource.QueryArray, draft.Parameter.Name, parser, value: item);
        }

        return ReadComplex(draft);
    }

    // A type without a parser can be a service or the body: its kind and the methods decide.
    private BoundParameter? ReadComplex(UnresolvedParameter draft)
    {
        ITypeSymbol plain = draft.Plain;
        if (plain.SpecialType == SpecialType.System_Object || plain.IsRefLikeType
            || plain.TypeKind is TypeKind.Pointer or TypeKind.FunctionPointer or TypeKind.Dynamic or TypeKind.Delegate)
        {
            return Refuse(draft, "it is neither a value nor something that a body or a container has");
        }

        if (plain.TypeKind == TypeKind.Interface || (plain.TypeKind == TypeKind.Class && plain.IsAbstract))
        {
            return draft.Make(ParameterSource.Service);
        }

        if (bodies.All)
        {
            // A container may have a class; a structure or an array is the body.
            return plain.TypeKind == TypeKind.Class
                ? draft.Make(ParameterSource.ServiceOrBody)
                : Body(draft.Make(ParameterSource.JsonBody));
        }

        if (!bodies.None)
        {
            return Refuse(draft, "with these methods it may be the body or a service; mark it with CoapFromBody or CoapFromServices");
        }

        return plain.TypeKind == TypeKind.Class
            ? draft.Make(ParameterSource.Service)
            : Refuse(draft,
                $"{bodies} has no body, a service is a class or an interface, and text cannot be read as it; let it implement "
                    + $"IParsable<{plain.Name}>");
    }

    private BoundParameter? ReadText(UnresolvedParameter draft, ParameterSource source, string name) =>
        ParserMethodSelector.Text(draft.Plain) is { } parser
        ? draft.Make(source, name, parser)
        : Refuse(draft,
            $"text cannot be read as it; use a string, a number, an enumeration or a type that implements IParsable<{draft.Plain.Name}>");

    private BoundParameter? Body(BoundParameter parameter)
    {
        if (bodies.None)
        {
            return Report(Diagnostic.Create(Descriptors.NoBody, place, parameter.ParameterName, bodies.ToString()));
        }

        return parameter;
    }

    private static ParameterSource? FindRawBody(ITypeSymbol type) => type switch
    {
        _ when type.IsByteArray() => ParameterSource.BytesBody,
        _ when type.IsByteMemory() => ParameterSource.MemoryBody,
        _ when type.FullName() == "System.IO.Stream" => ParameterSource.StreamBody,
        _ when type.FullName() == "System.IO.Pipelines.PipeReader" => ParameterSource.PipeBody,
        _ => null,
    };

    private BoundParameter? Refuse(UnresolvedParameter draft, string why) =>
        Report(Diagnostic.Create(Descriptors.CannotBind, LocationOf(draft.Parameter), draft.Parameter.Name, draft.Type.Plain(), why));

    private BoundParameter? Report(Diagnostic diagnostic)
    {
        diagnostics.Add(diagnostic);
        return null;
    }

    // A method of another project has no location here.
    private Location LocationOf(IParameterSymbol parameter) =>
        parameter.Locations.FirstOrDefault(location => location.SourceTree is { } tree && tree == place.SourceTree) ?? place;

    /// <summary>The state of a parameter before its source is determined.</summary>
    private sealed class UnresolvedParameter(IParameterSymbol parameter, ITypeSymbol type)
    {
        public IParameterSymbol Parameter => parameter;

        public ITypeSymbol Type => type;

        /// <summary>The type without Nullable.</summary>
        public ITypeSymbol Plain { get; } = type.WithoutNullable();

        private bool IsOptional =>
            parameter.HasExplicitDefaultValue || type.IsNullableValue()
                || (type.IsReferenceType && type.NullableAnnotation != NullableAnnotation.NotAnnotated);

        public BoundParameter Make(ParameterSource source, string? name = null, string? parser = null, string? key = null,
            ITypeSymbol? value = null) => new(
                source,
                parameter.Name,
                type.Declared(),
                (value ?? Plain).WithoutQuestionMark(),
                name ?? parameter.Name,
                IsOptional,
                type.IsNullableValue(),
                parameter.HasExplicitDefaultValue ? LiteralFormatter.Constant(parameter.ExplicitDefaultValue, type) : IsOptional ? "default"
                    : null,
                parser,
                key);
    }

    private bool ReadAttribute(UnresolvedParameter draft, AttributeData attribute, string name, out BoundParameter? bound)
    {
        bound = null;
        switch (name)
        {
            case "CoAP.NET.CoapFromRouteAttribute":
                bound = ReadText(draft, ParameterSource.Route, NameIn(attribute) ?? draft.Parameter.Name);
                return true;
            case "CoAP.NET.CoapFromQueryAttribute":
                bound = ReadQuery(draft, NameIn(attribute) ?? draft.Parameter.Name);
                return true;
            case "CoAP.NET.CoapFromBodyAttribute":
                bound = ReadBody(draft);
                return true;
            case "CoAP.NET.CoapFromServicesAttribute":
                bound = ReadService(draft, null);
                return true;
            case "CoAP.NET.CoapFromOptionAttribute":
                bound = ReadOption(draft,
                    attribute.ConstructorArguments.Length == 1 && attribute.ConstructorArguments[0].Value is int number ? number : 0);
                return true;
            case KeyedServices when attribute.ConstructorArguments.Length == 1:
                bound = ReadService(draft, LiteralFormatter.Argument(attribute.ConstructorArguments[0]));
                return true;
            case KeyedServices:
                bound = Refuse(draft, "the key of its service is missing; CoAP handlers have none to inherit");
                return true;
            default:
                if (attribute.AttributeClass!.ContainingNamespace.ToDisplayString()
                    .StartsWith("Microsoft.AspNetCore.", System.StringComparison.Ordinal)
                    && Instead(attribute.AttributeClass.Name) is { } instead)
                {
                    diagnostics.Add(Diagnostic.Create(Descriptors.ForeignAttribute, LocationOf(draft.Parameter),
                        attribute.AttributeClass.Name, instead));
                }

                return false;
        }
    }

    private BoundParameter? ReadQuery(UnresolvedParameter draft, string name) =>
        draft.Plain is IArrayTypeSymbol { Rank: 1, ElementType: { } item } && ParserMethodSelector.Text(item) is { } parser
            ? draft.Make(ParameterSource.QueryArray, name, parser, value: item)
            : ReadText(draft, ParameterSource.Query, name);

    private BoundParameter? ReadBody(UnresolvedParameter draft)
    {
        ITypeSymbol plain = draft.Plain;
        if (FindRawBody(plain) is { } source)
        {
            return Body(draft.Make(source));
        }

        if (plain.IsRefLikeType || plain.TypeKind is TypeKind.Pointer or TypeKind.FunctionPointer or TypeKind.Delegate)
        {
            return Refuse(draft, "neither JSON nor CBOR can be read as it");
        }

        return Body(plain.SpecialType == SpecialType.System_String
            ? draft.Make(ParameterSource.TextBody)
            : draft.Make(ParameterSource.JsonBody, parser: ParserMethodSelector.Text(plain)));
    }

    private BoundParameter? ReadService(UnresolvedParameter draft, string? key) => draft.Plain.IsReferenceType
        ? draft.Make(key is null ? ParameterSource.Service : ParameterSource.KeyedService, key: key)
        : Refuse(draft, "a service is a class or an interface");

    private BoundParameter? ReadOption(UnresolvedParameter draft, int number)
    {
        if (number is < 1 or > ushort.MaxValue)
        {
            return Refuse(draft, "an option number is 1 to 65,535 (RFC 7252 section 3.1)");
        }

        // The presence of the option: the value of options of the format 'empty'.
        if (draft.Type.SpecialType == SpecialType.System_Boolean)
        {
            return draft.Make(ParameterSource.Option, key: $"{number}");
        }

        if (ParserMethodSelector.Option(draft.Plain) is { } reader)
        {
            return draft.Make(ParameterSource.Option, parser: reader, key: $"{number}");
        }

        return draft.Plain is IArrayTypeSymbol { Rank: 1, ElementType: { } item } && ParserMethodSelector.Option(item) is { } each
            ? draft.Make(ParameterSource.OptionArray, parser: each, key: $"{number}", value: item)
            : Refuse(draft, "the value of an option is a string, an integer, a bool, bytes, a CoapETag or a CoapContentFormat");
    }

    private static string? NameIn(AttributeData attribute) =>
        attribute.NamedArguments.FirstOrDefault(argument => argument.Key == "Name").Value.Value as string;

    private static string? Instead(string name) => name switch
    {
        "FromRouteAttribute" => "CoapFromRoute",
        "FromQueryAttribute" => "CoapFromQuery",
        "FromBodyAttribute" => "CoapFromBody",
        "FromServicesAttribute" => "CoapFromServices",
        "FromHeaderAttribute" => "CoapFromOption",
        "FromFormAttribute" => "CoapFromBody",
        _ => null,
    };
}
