using CoAP.NET.Blockwise;

namespace CoAP.NET.Resources;

/// <summary>The methods whose bodies are streamed, on a route that assembles the bodies of others.</summary>
/// <param name="Body">The policy for their bodies.</param>
/// <param name="Methods">The methods; empty for all.</param>
internal sealed record StreamedMethods(RequestBodyPolicy Body, CoapMethod[] Methods)
{
    public bool Includes(CoapMethod method) => Methods.Length == 0 || Array.IndexOf(Methods, method) >= 0;
}
