using CoAP.NET.Blockwise;

namespace CoAP.NET.Resources;

/// <summary>The methods whose bodies are streamed, on a route that assembles the bodies of others.</summary>
internal sealed record StreamedMethods(RequestBodyPolicy Body, CoapMethod[] Methods);
