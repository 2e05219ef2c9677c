using System.Runtime.Versioning;
using CoAP.NET.Execution;
using CoAP.NET.Settings;

namespace CoAP.NET.Stateless;

/// <summary>
/// Sends requests without keeping state for them: the state of the application travels in the token, encrypted and authenticated, and
/// returns with the response (RFC 8974 section 3).
/// </summary>
/// <remarks>
/// For gateways with very many outstanding requests. The application must repeat unanswered requests: nothing waits, so there is no
/// timeout. A Confirmable request keeps its state until it is acknowledged, because the endpoint retransmits it; a sent Non-confirmable
/// request keeps none.
/// <para>
/// A peer must support long tokens. The first request to it detects the support and keeps its state (section 3.2); without support, all
/// requests do. The client accepts each response once, and rejects responses that are too old, forged, replayed, or from another address
/// than the request was sent to.
/// </para>
/// Thread-safe. With <see cref="CoapMultiProcessOptions.SharedSecret"/> a client also accepts responses to requests that a client with the
/// same name sent in another process, such as the one before a restart; each process accepts a response once. This works only for separate
/// responses: a piggybacked one belongs to its Message ID, which only the sending process knows (RFC 7252 section 4.2).
/// </remarks>
public sealed class CoapStatelessClient : IDisposable
{
    private readonly CoapEndpoint _endpoint;
    private readonly StatelessTokens _tokens;

    /// <summary>Creates a client.</summary>
    /// <param name="endpoint">The endpoint to send with.</param>
    /// <param name="onResponse">Receives each response. Called on the receiving thread, without a lock; must be quick. The library counts
    /// and logs its exceptions.</param>
    /// <param name="options">Null for the defaults.</param>
    /// <exception cref="InvalidOperationException">The endpoint shares a secret with other processes
    /// (<see cref="CoapMultiProcessOptions.SharedSecret"/>) and has another stateless client of the same name.</exception>
    /// <exception cref="PlatformNotSupportedException">Neither the processor nor the platform has AES-CCM.</exception>
    [UnsupportedOSPlatform("browser")]
    public CoapStatelessClient(CoapEndpoint endpoint, Action<CoapStatelessResponse> onResponse, CoapStatelessOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        ArgumentNullException.ThrowIfNull(onResponse);
        options = (options ?? new CoapStatelessOptions()).MakeReadOnlyFor("a stateless client");
        _endpoint = endpoint;
        _tokens = new StatelessTokens(endpoint.Environment, options, onResponse);
        try
        {
            endpoint.Core.Stateless.Add(_tokens, isShared: endpoint.Environment.Secret is not null);
        }
        catch (InvalidOperationException)
        {
            _tokens.Dispose();
            throw;
        }
    }

    /// <summary>Returns the maximum state size in bytes for a token length.</summary>
    /// <remarks>
    /// The largest token of the RFC has 65,804 bytes, but most servers accept far less. The servers of this library accept 64, and its
    /// clients apply the same limit to responses (<see cref="CoapMessageLimits.MaxTokenLength"/>).
    /// </remarks>
    /// <param name="tokenLength">The largest token that the peers accept, in bytes.</param>
    /// <returns>The size; below zero if such tokens have no room for state.</returns>
    internal static int MaxStateLength(int tokenLength) => tokenLength - StatelessTokens.Overhead;

    /// <summary>Sends a request.</summary>
    /// <param name="request">The request, with a URI; it must fit one message.</param>
    /// <param name="state">The state that returns with the response; copied.</param>
    /// <param name="cancellationToken">Cancels the address lookup and the wait for the first response of a peer.</param>
    /// <returns>A task that completes when the request is sent. While the token support of the peer is unknown, it completes when the
    /// callback got the response.</returns>
    /// <exception cref="ArgumentException">The request has no URI, or needs state here, such as an observation; or the state does not fit
    /// into a token.</exception>
    /// <exception cref="CoapException">The request cannot be sent; or the peer does not support long tokens and did not
    /// respond.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    public async Task SendAsync(CoapRequest request, ReadOnlyMemory<byte> state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        ObjectDisposedException.ThrowIf(_tokens.IsDisposed, this);
        if (state.Length > MaxStateLength(CoapToken.MaxExtendedLength))
        {
            throw new ArgumentException(
                $"The state has {state.Length} bytes; a token has room for at most {MaxStateLength(CoapToken.MaxExtendedLength)}.",
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
            _tokens.Give(response, kept, TimeSpan.FromTicks(_endpoint.Environment.Now - started));
        }
    }

    /// <summary>Ends the client: the endpoint rejects later responses as unknown.</summary>
    public void Dispose()
    {
        _endpoint.Core.Stateless.Remove(_tokens);
        _tokens.Dispose();
    }
}
