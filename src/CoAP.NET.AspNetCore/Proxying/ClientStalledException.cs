namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>A client did not read what it asked for, and was cut off.</summary>
internal sealed class ClientStalledException() : OperationCanceledException("The client does not read.");
