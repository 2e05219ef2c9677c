namespace CoAP.NET.Hosting.Generators.Reading;

/// <summary>A call to replace: everything that the generated code depends on, as text, so that equal calls make equal code.</summary>
/// <param name="Method">The name of the method that is called, such as <c>MapGet</c>.</param>
/// <param name="Attribute">The attribute that names the place of the call.</param>
/// <param name="Place">The place for people.</param>
/// <param name="Cast">An expression that gives <c>handler</c> its type.</param>
/// <param name="Parameters">The parameters of the handler.</param>
/// <param name="Answer">What it returns.</param>
internal sealed record BoundCall(
    string Method,
    string Attribute,
    string Place,
    string Cast,
    EquatableList<BoundParameter> Parameters,
    BoundAnswer Answer);
