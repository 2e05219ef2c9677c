namespace CoAP.NET.Http.Backends;

/// <summary>A host may not be asked.</summary>
internal sealed class TargetRefusedException(string message) : IOException(message);
