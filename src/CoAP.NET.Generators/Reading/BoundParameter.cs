namespace CoAP.NET.Generators.Reading;

/// <summary>A parameter of a handler, as text for generated code.</summary>
/// <param name="Source">The source of its value.</param>
/// <param name="ParameterName">Its name in the handler.</param>
/// <param name="Type">Its type with the namespaces, as declared.</param>
/// <param name="ValueType">The type to parse: without Nullable and question mark; for an array the type of its items.</param>
/// <param name="Name">Its name in route or query.</param>
/// <param name="IsOptional">Whether it may be missing.</param>
/// <param name="IsNullableValue">Whether it is a Nullable.</param>
/// <param name="Default">Its value if it is missing; null if it is required.</param>
/// <param name="Parser">The method that parses it: of the parsers, or of the readers of options; null if there is nothing to parse.</param>
/// <param name="Key">The key of a service, as an expression; or the number of an option.</param>
internal sealed record BoundParameter(
    ParameterSource Source,
    string ParameterName,
    string Type,
    string ValueType,
    string Name,
    bool IsOptional,
    bool IsNullableValue,
    string? Default,
    string? Parser,
    string? Key)
{
    public bool IsBody => Source >= ParameterSource.JsonBody;
}
