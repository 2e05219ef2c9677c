using CoAP.NET.Blockwise;

namespace CoAP.NET.Resources;

/// <summary>The methods whose bodies are streamed, on a route that assembles the bodies of others.</summary>
/// <param name="Body">The policy for these bodies.</param>
/// <param name="Methods">The methods.</param>
internal sealed record StreamedMethods(RequestBodyPolicy Body, CoapMethod[] Methods);
