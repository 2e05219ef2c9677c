using CoAP.NET.Exchanges;

namespace CoAP.NET;

/// <summary>
/// Sends requests without keeping anything for them until their responses come: what the application must know then travels in the token,
/// encrypted and authenticated, and comes back with the response (RFC 8974 section 3). For gateways with very many requests open at a time.
/// It is up to the application to repeat what is not answered: nobody waits, so there is no time-out. A Confirmable request is
/// retransmitted until it is acknowledged, which is kept until then; a Non-confirmable one costs nothing once it is sent.
/// <para>
/// A peer must understand long tokens. The first request to it finds that out and is kept like any other (section 3.2); to a peer that does
/// not, all are. Each response is taken once; responses that are too old, forged, replayed, or from another address than the request went
/// to are rejected.
/// </para>
/// </summary>
/// <remarks>
/// Safe for several threads. With <see cref="CoapEndpointOptions.SharedSecret"/> a client also takes responses to requests that a client of
/// the same name sent in another process, such as the one before a restart; each process takes a response once. Of those only responses
/// that come in messages of their own: one in an acknowledgement belongs to its Message ID, which only the process knows that sent the
/// request (RFC 7252 section 4.2).
/// </remarks>
public sealed class CoapStatelessClient : IDisposable
{
    private readonly CoapEndpoint _endpoint;
    private readonly StatelessTokens _tokens;

    /// <summary>Makes a client.</summary>
    /// <param name="endpoint">Whose sockets it uses.</param>
    /// <param name="onResponse">Gets each response. Called on the thread that received it, outside all locks; must be quick. What it throws
    /// is counted and logged.</param>
    /// <param name="options">Null for the defaults.</param>
    /// <exception cref="InvalidOperationException">The endpoint shares a secret with other processes
    /// (<see cref="CoapEndpointOptions.SharedSecret"/>) and has another stateless client of the same name.</exception>
    /// <exception cref="PlatformNotSupportedException">The platform has no AES-GCM.</exception>
    public CoapStatelessClient(CoapEndpoint endpoint, Action<CoapStatelessResponse> onResponse, CoapStatelessOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        ArgumentNullException.ThrowIfNull(onResponse);
        options ??= new CoapStatelessOptions();
        _endpoint = endpoint;
        _tokens = new StatelessTokens(endpoint.Environment, options, onResponse);
        try
        {
            endpoint.Core.State.Stateless.Add(_tokens, isShared: endpoint.Environment.Secret is not null);
        }
        catch (InvalidOperationException)
        {
            _tokens.Dispose();
            throw;
        }
    }

    /// <summary>
    /// The largest state in bytes for tokens of a length. The RFC's largest token has 65,804 bytes, but most servers take far less; this
    /// library's take 64, and responses to it are held to that as well (<see cref="CoapLimits.MaxTokenLength"/>).
    /// </summary>
    /// <param name="tokenLength">The largest token that the peers take, in bytes.</param>
    /// <returns>The size; below zero when such tokens have no room for any.</returns>
    public static int MaxStateLength(int tokenLength) => tokenLength - StatelessTokens.Overhead;

    /// <summary>Sends a request.</summary>
    /// <param name="request">The request, with a URI; it must fit one message.</param>
    /// <param name="state">What to give back with the response; copied.</param>
    /// <param name="cancellationToken">Stops finding the address, and waiting for the first response of a peer.</param>
    /// <returns>A task that ends when the request is on its way, or, while it is not known whether the peer understands long tokens, when
    /// its response was given to the handler.</returns>
    /// <exception cref="ArgumentException">The request has no URI, or cannot be sent without state, such as an observation; or the state
    /// does not fit a token.</exception>
    /// <exception cref="CoapException">It cannot be sent; or, where the peer does not understand long tokens, there was no
    /// response.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    public async Task SendAsync(CoapRequest request, ReadOnlyMemory<byte> state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        ObjectDisposedException.ThrowIf(_tokens.IsDisposed, this);
        if (state.Length > MaxStateLength(CoapToken.MaxExtendedLength))
        {
            throw new ArgumentException(
                $"A token has room for at most {MaxStateLength(CoapToken.MaxExtendedLength)} bytes of state, not {state.Length}.",
                nameof(state));
        }

        if (request.Options.Observe is not null)
        {
            throw new ArgumentException("An observation needs state. Use ObserveAsync.", nameof(request));
        }

        byte[] kept = state.ToArray();
        long started = _endpoint.Environment.Now;
        CoapResponse? response = await _endpoint.Core.Requester.SendStatelessAsync(request, _tokens, kept, cancellationToken)
            .ConfigureAwait(false);
        if (response is not null)
        {
            _tokens.Give(new CoapStatelessResponse(response, kept, TimeSpan.FromTicks(_endpoint.Environment.Now - started)));
        }
    }

    /// <summary>Responses that come from now on are rejected as those of nobody.</summary>
    public void Dispose()
    {
        _endpoint.Core.State.Stateless.Remove(_tokens);
        _tokens.Dispose();
    }
}
