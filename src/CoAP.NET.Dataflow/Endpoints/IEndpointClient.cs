namespace CoAP.NET.Endpoints;

/// <summary>A client of an endpoint of this process, which can also ping and send requests to groups.</summary>
internal interface IEndpointClient : ICoapClient
{
    /// <summary>The base of relative URIs; null for none.</summary>
    CoapUri? BaseAddress { get; }

    /// <summary>The forward proxy of the requests; null for none.</summary>
    CoapUri? Proxy { get; }

    /// <summary>The endpoint of the client. Requests sent on it directly are not relative and pass no handlers.</summary>
    CoapEndpoint Endpoint { get; }

    Task<TimeSpan> PingAsync(CoapUri? uri, TimeSpan? timeout, CancellationToken cancellationToken);

    IAsyncEnumerable<CoapGroupResponse> SendToGroupAsync(CoapRequest request, CoapGroupRequestOptions? options,
        CancellationToken cancellationToken);

    /// <summary>Returns a client as a client of an endpoint.</summary>
    /// <exception cref="ArgumentException">It is another kind of client.</exception>
    static IEndpointClient Of(ICoapClient client)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client as IEndpointClient
            ?? throw new ArgumentException(
                $"{client.GetType()} has no endpoint of this process. Use a CoapClient, a CoapEndpoint or a client of a host.",
                    nameof(client));
    }
}
