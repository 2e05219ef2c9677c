namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>A name leads to addresses that may not be asked.</summary>
internal sealed class TargetDeniedException(string message) : CoapException(message);
