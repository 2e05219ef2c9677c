namespace CoAP.NET.Proxy;

/// <summary>
/// The proxy did not forward a request because its target is not allowed (<see cref="CoapProxyTargets"/>), by its name or by the current
/// addresses of the name.
/// </summary>
/// <remarks>Clients get 5.05, or 403 over HTTP. To serve them, allow the host or its network.</remarks>
internal sealed class CoapTargetDeniedException(string message) : CoapException(message);
