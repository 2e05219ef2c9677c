using CoAP.NET.Blockwise;

namespace CoAP.NET.Resources;

/// <summary>Methods whose bodies handlers read while they come, on a route that has the others put together.</summary>
/// <param name="Body">What holds for these bodies.</param>
/// <param name="Methods">The methods.</param>
internal sealed record StreamedMethods(BodyPolicy Body, CoapMethod[] Methods);
