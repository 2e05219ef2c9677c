namespace CoAP.NET.Hosting.Generators.Reading;

/// <summary>A parameter of a handler, as text for generated code.</summary>
/// <param name="Source">Where its value comes from.</param>
/// <param name="ParameterName">Its name in the handler.</param>
/// <param name="Type">Its type with the namespaces, as declared.</param>
/// <param name="ValueType">The type that is read: without Nullable and question mark, and of the items of an array.</param>
/// <param name="Name">Its name in route or query.</param>
/// <param name="IsOptional">Whether it may be missing.</param>
/// <param name="IsNullableValue">Whether it is a Nullable.</param>
/// <param name="Default">What it is when it is missing; null when it may not.</param>
/// <param name="Parser">What reads it: a method of the parsers, or of the readers of options; null when nothing has to be read.</param>
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
