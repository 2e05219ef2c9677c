namespace CoAP.NET.Generators.Reading;

/// <summary>A call to replace: all input of the generated code, as text, so that equal calls generate equal code.</summary>
/// <param name="Method">The name of the called method, such as <c>MapGet</c>.</param>
/// <param name="Attribute">The attribute that names the place of the call.</param>
/// <param name="Place">The readable place.</param>
/// <param name="Cast">An expression that gives <c>handler</c> its type.</param>
/// <param name="Parameters">The parameters of the handler.</param>
/// <param name="Answer">Its result.</param>
/// <param name="HasCbor">Whether the project references the package that converts CBOR.</param>
internal sealed record InterceptedMapCall(
    string Method,
    string Attribute,
    string Place,
    string Cast,
    EquatableList<BoundParameter> Parameters,
    BoundResult Answer,
    bool HasCbor);
