using System.Linq;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Hosting.Generators.Reading;

// The sources that attributes declare.
internal sealed partial class ParameterReader
{
    private const string KeyedServices = "Microsoft.Extensions.DependencyInjection.FromKeyedServicesAttribute";

    private bool ReadAttribute(Draft draft, AttributeData attribute, string name, out BoundParameter? bound)
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
                bound = ReadService(draft, Literals.Argument(attribute.ConstructorArguments[0]));
                return true;
            case KeyedServices:
                bound = Refuse(draft, "the key of its service must be said; CoAP handlers have none to inherit");
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

    private BoundParameter? ReadQuery(Draft draft, string name) =>
        draft.Plain is IArrayTypeSymbol { Rank: 1, ElementType: { } item } && Parsing.Text(item) is { } parser
            ? draft.Make(ParameterSource.QueryArray, name, parser, value: item)
            : ReadText(draft, ParameterSource.Query, name);

    private BoundParameter? ReadBody(Draft draft)
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
            : draft.Make(ParameterSource.JsonBody, parser: Parsing.Text(plain)));
    }

    private BoundParameter? ReadService(Draft draft, string? key) => draft.Plain.IsReferenceType
        ? draft.Make(key is null ? ParameterSource.Service : ParameterSource.KeyedService, key: key)
        : Refuse(draft, "a service is a class or an interface");

    private BoundParameter? ReadOption(Draft draft, int number)
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

        if (Parsing.Option(draft.Plain) is { } reader)
        {
            return draft.Make(ParameterSource.Option, parser: reader, key: $"{number}");
        }

        return draft.Plain is IArrayTypeSymbol { Rank: 1, ElementType: { } item } && Parsing.Option(item) is { } each
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
