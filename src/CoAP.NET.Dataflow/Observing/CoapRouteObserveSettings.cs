using CoAP.NET.Observing;

namespace CoAP.NET;

/// <summary>The settings of an observable route or resource (RFC 7641).</summary>
[HasSettings]
public sealed partial class CoapRouteObserveSettings
{
    /// <summary>The Max-Age of notifications if the handler sets none; whole seconds.</summary>
    /// <remarks>
    /// A client without a notification for this long considers its observation lost and registers again (RFC 7641 section 3.3.1). With the
    /// default of CoAP, a minute, 50,000 observers of a quiet resource would register 800 times per second. 10 minutes make that 80, and
    /// limit the time in which a client does not notice that the server restarted. Set a longer time for many observers.
    /// </remarks>
    [TimeRange(1, uint.MaxValue)]
    public partial TimeSpan MaxAge { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>Whether notifications are Confirmable messages. Default true.</summary>
    /// <remarks>Non-confirmable ones are cheaper, and may be lost. On connections it makes no difference.</remarks>
    public partial bool Confirmable { get; set; } = true;

    /// <summary>
    /// Whether to send a notification shortly before Max-Age ends even if nothing changed, so that clients need not register again (RFC
    /// 7641 section 4.3.1). Default false.
    /// </summary>
    public partial bool Refresh { get; set; }

    /// <summary>
    /// Whether the state is the same for every client, so that one run of the handler is enough for all observers with equal requests that
    /// proved no identity. Default null: true for a handler without parameters that returns a text or a <see cref="CoapResult"/>, if the
    /// route has no filter and no <c>WithErrorContent</c>; otherwise false.
    /// </summary>
    /// <remarks>
    /// With false the handler runs for each client, and may use <see cref="CoapRequestContext.Peer"/>. Set true for many observers of a
    /// handler that does not. True has no effect where the response depends on the client: on routes with authorization or another filter
    /// that runs before the body, on endpoints of ASP.NET Core, on forward proxies, and on reverse proxies that name the client to the
    /// server or reach it over a secured transport. Clients that proved an identity never share a run.
    /// </remarks>
    public partial bool? SameForAll { get; set; }

    /// <summary>
    /// Whether a notification may be Confirmable although <see cref="Confirmable"/> is false, to measure the round-trip time. Default true.
    /// </summary>
    /// <remarks>
    /// These are the first one that had to wait because that time is unknown, and one per minute while they follow each other faster than
    /// every 3 s. With false, a peer with an unknown round-trip time gets one per 3 s (RFC 7641 section 4.5.1).
    /// </remarks>
    public partial bool Probe { get; set; } = true;

    /// <summary>The maximum time without a notification that the observer has to acknowledge.</summary>
    /// <remarks>
    /// After it, the next notification is Confirmable, and the server sends the state again if there is none. It therefore notices
    /// unreachable observers, even if the resource never changes. RFC 7641 section 4.5 allows no more than 24 hours. For one resource of a
    /// route with parameters: <see cref="CoapResourceObserverLimits.ConfirmableEvery"/>.
    /// </remarks>
    [TimeRange(1, Seconds.Day)]
    public partial TimeSpan ConfirmableEvery { get; set; } = TimeSpan.FromHours(24);
}
