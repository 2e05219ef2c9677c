namespace CoAP.NET.Proxy.Admission;

/// <summary>A request was not sent on, as its target may not be asked through this proxy.</summary>
internal sealed class TargetDeniedException(string message) : CoapException(message);
