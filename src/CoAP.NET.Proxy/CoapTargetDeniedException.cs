namespace CoAP.NET.Proxy;

/// <summary>
/// A request was not sent on, as its target may not be asked through this proxy (<see cref="CoapProxyTargets"/>): by its name, or by the
/// addresses that the name has at this moment. Clients get 5.05, or 403 over HTTP; to serve them, allow the host or its network.
/// </summary>
/// <param name="message">What may not be asked.</param>
public sealed class CoapTargetDeniedException(string message) : CoapException(message);
