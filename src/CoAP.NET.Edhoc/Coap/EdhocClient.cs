using System.Collections.Concurrent;
using CoAP.NET.Edhoc.Coap;
using CoAP.NET.Options;
using CoAP.NET.Oscore;

namespace CoAP.NET.Edhoc;

/// <summary>
/// EDHOC over CoAP, on the side of the client (RFC 9528 appendix A.2): the Initiator, or the Responder where
/// <see cref="ConnectReverseAsync"/> is called. Thread-safe.
/// </summary>
public sealed class EdhocClient
{
    private readonly ICoapRequester _requester;
    private readonly EdhocClientOptions _options;
    private readonly EdhocOwnCredential[] _credentials;
    private readonly IdentifierChoice _identifiers;
    private readonly ConcurrentDictionary<string, OscoreContext> _made = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, bool> _running = new(StringComparer.Ordinal);

    /// <summary>Makes a client.</summary>
    /// <param name="requester">What sends, such as a <see cref="CoapClient"/>, by any transport.</param>
    /// <param name="options">How it works.</param>
    /// <exception cref="ArgumentException">There is no credential.</exception>
    public EdhocClient(ICoapRequester requester, EdhocClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(options);
        if (options.Credentials.Count == 0)
        {
            throw new ArgumentException("Name one credential at least, by which the client authenticates.", nameof(options));
        }

        (_requester, _options, _credentials) = (requester, options, [.. options.Credentials]);

        // Sessions that run at a time have identifiers of their own (RFC 9668 section 3.3).
        _identifiers = new IdentifierChoice(
            options.Settings.Random,
            id => options.Contexts?.IsRecipient(id) == true || options.IsIdentifierTaken?.Invoke(id) == true
                || !_running.TryAdd(Key(id.Span), true));
        options.Contexts?.LeavePlain(options.Path);
    }

    /// <summary>
    /// Agrees on keys with a server, as the Initiator. Where the server supports another suite than the one that was selected, it is asked
    /// once more with that one.
    /// </summary>
    /// <param name="uri">Scheme and authority of the server, such as <c>coap://[2001:db8::1]</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The session. Derive what is needed, and dispose it.</returns>
    /// <exception cref="EdhocException">The server is not trusted, refused, or sent something wrong.</exception>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    public async Task<EdhocSession> ConnectAsync(string uri, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(uri);
        try
        {
            return await InitiateAsync(uri, null, cancellationToken).ConfigureAwait(false);
        }
        catch (EdhocException exception) when (exception is { IsOfPeer: true, Code: EdhocErrorCode.WrongSelectedCipherSuite })
        {
            return await InitiateAsync(uri, exception.Suites, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Agrees on keys with a server, as the Responder: the identity of the server is protected then against active attackers, and not that
    /// of the client (RFC 9528 appendix A.2.2). The server has to allow it.
    /// </summary>
    /// <param name="uri">Scheme and authority of the server, such as <c>coap://[2001:db8::1]</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The session. Derive what is needed, and dispose it.</returns>
    /// <exception cref="EdhocException">The server is not trusted, refused, or sent something wrong.</exception>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    public async Task<EdhocSession> ConnectReverseAsync(string uri, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(uri);
        using EdhocResponder responder = new(_options.Settings, _credentials);
        ReadOnlyMemory<byte> first = await PostAsync(uri, [], cancellationToken).ConfigureAwait(false);
        byte[] peerId = [];
        byte[] ownId = [];
        try
        {
            IReadOnlyList<EdhocEad> firstEad = responder.ReadMessage1(first);
            peerId = responder.PeerConnectionId.ToArray();
            ownId = _identifiers.Next(peerId);
            byte[] second = responder.CreateMessage2(ownId, await EadAsync(2, firstEad, null, cancellationToken).ConfigureAwait(false));
            ReadOnlyMemory<byte> third =
                await PostAsync(uri, RequestPayload.Later(peerId, second), cancellationToken).ConfigureAwait(false);
            EdhocClaim claim = responder.ReadMessage3(third);
            EdhocSession session = responder.Complete(await _options.Trust.FindAsync(claim, cancellationToken).ConfigureAwait(false));
            return await CompleteAsync(session, async () =>
            {
                if (_options.SendsMessage4)
                {
                    byte[] fourth = responder.CreateMessage4(
                        await EadAsync(4, session.PeerEad, session, cancellationToken).ConfigureAwait(false));
                    await PostAsync(uri, RequestPayload.Later(peerId, fourth), cancellationToken).ConfigureAwait(false);
                }

                AddContext(uri, session, null);
                return session;
            }).ConfigureAwait(false);
        }
        catch (EdhocException exception) when (!exception.IsOfPeer && peerId.Length > 0)
        {
            await TellAsync(uri, peerId, exception).ConfigureAwait(false);
            throw;
        }
        finally
        {
            _running.TryRemove(Key(ownId), out _);
        }
    }

    private static string Key(ReadOnlySpan<byte> id) => Convert.ToHexString(id);

    private async Task<EdhocSession> InitiateAsync(string uri, IReadOnlyList<int>? suites, CancellationToken cancellationToken)
    {
        byte[] id = _identifiers.Next([]);
        try
        {
            return await InitiateAsync(uri, id, suites, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _running.TryRemove(Key(id), out _);
        }
    }

    private async Task<EdhocSession> InitiateAsync(
        string uri, byte[] id, IReadOnlyList<int>? suites, CancellationToken cancellationToken)
    {
        using EdhocInitiator initiator = new(_options.Settings, _options.Method, _credentials, id, suites);
        byte[] first = initiator.CreateMessage1(await EadAsync(1, [], null, cancellationToken).ConfigureAwait(false));
        ReadOnlyMemory<byte> second = await PostAsync(uri, RequestPayload.First(first), cancellationToken).ConfigureAwait(false);
        byte[] third;
        try
        {
            EdhocClaim claim = initiator.ReadMessage2(second);
            IReadOnlyList<EdhocCredential> candidates = await _options.Trust.FindAsync(claim, cancellationToken).ConfigureAwait(false);
            third = initiator.CreateMessage3(candidates, await EadAsync(3, claim.Ead, null, cancellationToken).ConfigureAwait(false));
        }
        catch (EdhocException exception) when (!exception.IsOfPeer && initiator.PeerConnectionId.Length > 0)
        {
            await TellAsync(uri, initiator.PeerConnectionId.ToArray(), exception).ConfigureAwait(false);
            throw;
        }

        EdhocSession session = initiator.Session;
        return await CompleteAsync(session, async () =>
        {
            if (_options is { CombinesFirstRequest: true, Contexts: not null, RequireMessage4: false }
                && third.Length <= CombinedClient.MaxMessage3)
            {
                AddContext(uri, session, new CombinedClient(third, session));
                return session;
            }

            byte[] payload = RequestPayload.Later(initiator.PeerConnectionId.Span, third);
            ReadOnlyMemory<byte> fourth = await PostAsync(uri, payload, cancellationToken).ConfigureAwait(false);
            if (!fourth.IsEmpty)
            {
                initiator.ReadMessage4(fourth);
            }
            else if (_options.RequireMessage4)
            {
                throw new EdhocException("The server sent no message_4, which this client requires.");
            }

            AddContext(uri, session, null);
            return session;
        }).ConfigureAwait(false);
    }

    private static async Task<EdhocSession> CompleteAsync(EdhocSession session, Func<Task<EdhocSession>> complete)
    {
        try
        {
            return await complete().ConfigureAwait(false);
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    // The one before goes when there is a new one, so that nothing leaves without protection in between.
    private void AddContext(string uri, EdhocSession session, CombinedClient? exchange)
    {
        if (_options.Contexts is not { } contexts)
        {
            return;
        }

        OscoreContext context = session.CreateContext(exchange);
        contexts.Add(uri, context);
        OscoreContext? before = null;
        _made.AddOrUpdate(uri.TrimEnd('/'), context, (_, old) =>
        {
            before = old;
            return context;
        });
        if (before is not null)
        {
            contexts.Retire(before);
        }
    }

    private ValueTask<IReadOnlyList<EdhocEad>> EadAsync(
        int message, IReadOnlyList<EdhocEad> peerEad, EdhocSession? session, CancellationToken cancellationToken) =>
        _options.CreateEad is { } create
            ? create(new EdhocEadRequest(message, peerEad, session), cancellationToken)
            : new ValueTask<IReadOnlyList<EdhocEad>>([]);

    private async Task<ReadOnlyMemory<byte>> PostAsync(string uri, byte[] payload, CancellationToken cancellationToken)
    {
        CoapRequest request = MakeRequest(uri, payload);
        CoapResponse response = await _requester.SendAsync(request, cancellationToken).ConfigureAwait(false);
        if (response.IsSuccess)
        {
            return response.Payload.Length <= _options.Settings.MaxMessageSize
                ? response.Payload
                : throw new EdhocException($"A message has more than {_options.Settings.MaxMessageSize} bytes.");
        }

        if (response.ContentFormat == CoapContentFormat.EdhocCborSequence)
        {
            throw EdhocException.OfPeer(response.Payload.Span);
        }

        return response.EnsureSuccess().Payload;
    }

    // The server need not wait for its deadline. Nobody waits for an answer to it.
    private async Task TellAsync(string uri, byte[] peerId, EdhocException exception)
    {
        CoapRequest request = MakeRequest(uri, RequestPayload.Later(peerId, exception.ToMessage()));
        request.Confirmable = false;
        request.NoResponse = NoResponseClasses.All;
        try
        {
            await _requester.SendAsync(request).ConfigureAwait(false);
        }
        catch (CoapException)
        {
            // It is the error that the caller is told which counts.
        }
    }

    private CoapRequest MakeRequest(string uri, byte[] payload)
    {
        CoapRequest request = new(CoapMethod.Post, uri.TrimEnd('/') + _options.Path);
        if (payload.Length > 0)
        {
            request.Content = new CoapContent(payload, CoapContentFormat.CidEdhocCborSequence);
        }

        return request;
    }
}
