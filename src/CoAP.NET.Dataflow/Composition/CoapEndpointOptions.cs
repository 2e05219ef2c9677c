using System.Net;
using CoAP.NET.Exchanges;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET;

/// <summary>The options of an endpoint.</summary>
/// <remarks>Read-only once an endpoint uses it.</remarks>
/// <example>
/// <code>
/// CoapEndpointOptions options = new() { LoggerFactory = loggerFactory, Name = "boiler" };
/// options.Limits.Observe.MaxObservers = 1_000;
/// await using CoapServer server = new(options);
/// </code>
/// </example>
[HasSettings]
public sealed partial class CoapEndpointOptions
{
    /// <summary>
    /// The name of the endpoint in telemetry, the tag <c>coap.endpoint.name</c>, which distinguishes several endpoints in one process.
    /// </summary>
    /// <remarks>Default: null, no such tag; telemetry adds up endpoints with equal tags.</remarks>
    public partial string? Name { get; set; }

    /// <summary>The transmission parameters of peers for which <see cref="ParametersOf"/> returns null.</summary>
    /// <remarks>Default: those of RFC 7252 section 4.8.</remarks>
    public partial CoapTransmissionParameters Parameters { get; set; } = CoapTransmissionParameters.Default;

    /// <summary>Returns the transmission parameters of a peer at an address and port, or null for <see cref="Parameters"/>.</summary>
    /// <remarks>The endpoint calls it once, when it first meets the peer. It must be quick and must not throw.</remarks>
    public partial Func<IPEndPoint, CoapTransmissionParameters?>? ParametersOf { get; set; }

    /// <summary>
    /// How the endpoint handles its requests that a server defers (4.29, RFC 8516), unless <see cref="CoapRequest.TooManyRequests"/>
    /// overrides it.
    /// </summary>
    /// <remarks>Default: they fail at once.</remarks>
    public partial CoapTooManyRequestsBehavior TooManyRequests { get; set; }

    /// <summary>
    /// The cache for responses to requests of this endpoint (RFC 7252 section 5.6); endpoints with the same clock may share it.
    /// </summary>
    /// <remarks>Default: null, no cache.</remarks>
    public partial CoapResponseCache? Cache { get; set; }

    /// <summary>The option factories.</summary>
    /// <remarks>Default: all options that this library knows.</remarks>
    public partial CoapOptionRegistry Registry { get; set; } = CoapOptionRegistry.Default;

    /// <summary>Routes that were mapped before the endpoint was created; null, the default, for none.</summary>
    /// <remarks>Only one endpoint can use them: a second one with the same routes throws <see cref="InvalidOperationException"/>.</remarks>
    public partial CoapRoutes? Routes { get; set; }

    /// <summary>Certificates and checks of TLS, for <c>coaps+tcp</c>, and for clients of <c>coaps+ws</c>.</summary>
    /// <remarks>
    /// Default: null; a client then uses the trust store of the operating system, and a server cannot listen on <c>coaps+tcp</c>.
    /// </remarks>
    public partial CoapTlsOptions? Tls { get; set; }

    /// <summary>The logger factory.</summary>
    /// <remarks>Default: no log.</remarks>
    public partial ILoggerFactory LoggerFactory { get; set; } = NullLoggerFactory.Instance;

    /// <summary>The clock.</summary>
    /// <remarks>Default: the system clock.</remarks>
    public partial TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>The limits of the endpoint.</summary>
    /// <remarks>Default: <see cref="CoapLimits.Default"/>.</remarks>
    public partial CoapLimits Limits { get; set; } = new();

    /// <summary>Sockets, connections, and transports of your own.</summary>
    public CoapTransportOptions Transports { get; } = new();

    /// <summary>Metrics and traces.</summary>
    public CoapTelemetryOptions Telemetry { get; } = new();

    /// <summary>How a process stops, and what it shares with others at its address, or with its next run.</summary>
    public CoapMultiProcessOptions Processes { get; } = new();

    /// <summary>Custom blocks between the stages of the pipeline, its threads and its random numbers.</summary>
    public CoapPipelineOptions Pipeline { get; } = new();

    /// <summary>Q-Block1 and Q-Block2 (RFC 9177): see <c>UseQBlock</c> of the package CoAP.NET.QBlock.</summary>
    internal QBlockFeature? QBlock { get; set; }

    /// <summary>Whether the endpoint works as in a page of a browser. Tests set it elsewhere.</summary>
    internal bool IsInBrowser { get; set; } = OperatingSystem.IsBrowser();

    /// <summary>Objects that extensions created for the endpoint. It disposes them when it has stopped.</summary>
    internal IList<IAsyncDisposable> Owned { get; } = [];

    internal static CoapEndpointOptions Of(Action<CoapEndpointOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        CoapEndpointOptions options = new();
        configure(options);
        return options;
    }
}
