namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>A client did not read its response, and was disconnected.</summary>
internal sealed class ClientStalledException() : OperationCanceledException("The client does not read.");
