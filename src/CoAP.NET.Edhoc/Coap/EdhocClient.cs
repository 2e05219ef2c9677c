using System.Collections.Concurrent;
using CoAP.NET.Edhoc.Coap;
using CoAP.NET.Edhoc.Credentials;
using CoAP.NET.Oscore;
using CoAP.NET.Settings;

namespace CoAP.NET.Edhoc;

/// <summary>EDHOC over CoAP on the client's side (RFC 9528 appendix A.2).</summary>
/// <remarks>The client is the Initiator, or the Responder in <see cref="ConnectReverseAsync(CoapUri, CancellationToken)"/>.
/// Thread-safe.</remarks>
public sealed class EdhocClient
{
    private readonly ICoapClient _client;
    private readonly EdhocClientOptions _options;
    private readonly EdhocOwnCredential[] _credentials;
    private readonly Dictionary<string, object> _servers;
    private readonly ConnectionIdentifierAllocator _identifiers;
    private readonly ConcurrentDictionary<string, OscoreContext> _made = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, bool> _running = new(StringComparer.Ordinal);

    /// <summary>Creates a client.</summary>
    /// <param name="client">Sends the requests, such as a <see cref="CoapClient"/>, over any transport.</param>
    /// <param name="options">The options.</param>
    /// <exception cref="ArgumentException">There is no credential.</exception>
    public EdhocClient(ICoapClient client, EdhocClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(options);
        if (options.Credentials.Count == 0)
        {
            throw new ArgumentException("Name one credential at least, by which the client authenticates.", nameof(options));
        }

        (_client, _options, _credentials) = (client, options.MakeReadOnlyFor("an EDHOC client"), [.. options.Credentials]);
        _servers = new Dictionary<string, object>(options.Servers, StringComparer.Ordinal);

        // Concurrent sessions have different identifiers (RFC 9668 section 4.1).
        _identifiers = new ConnectionIdentifierAllocator(
            options.Settings.Random,
            id => options.Contexts?.IsRecipient(id) == true || options.IsIdentifierTaken?.Invoke(id) == true
                || !_running.TryAdd(Key(id.Span), true));
        options.Contexts?.LeavePlain(options.Path);
    }

    /// <summary>Agrees on keys with a server, as the Initiator.</summary>
    /// <param name="uri">Scheme and authority of the server, such as <c>coap://[2001:db8::1]</c>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The session. Derive the keys that you need, and dispose it.</returns>
    /// <exception cref="ArgumentException">It is not an absolute CoAP URI.</exception>
    /// <exception cref="EdhocException">
    /// The server is not trusted, is not the expected one, refused, or sent an invalid message.
    /// </exception>
    /// <exception cref="CoapException">No response came; the derived type has the reason.</exception>
    /// <remarks>
    /// The client checks which server it reached (<see cref="EdhocClientOptions.ExpectServer(CoapUri, object)"/>) before it sends message_3
    /// and before it adds a security context. If the server rejects the selected suite, the client retries once with one that the server
    /// supports.
    /// </remarks>
    public async Task<EdhocResult> ConnectAsync(CoapUri uri, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(uri);
        CoapUri.RequireCoap(uri, nameof(uri));
        try
        {
            return await InitiateAsync(uri, null, cancellationToken).ConfigureAwait(false);
        }
        catch (EdhocException exception) when (exception is { IsOfPeer: true, Code: EdhocErrorCode.WrongSelectedCipherSuite })
        {
            return await InitiateAsync(uri, exception.Suites, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <inheritdoc cref="ConnectAsync(CoapUri, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public Task<EdhocResult> ConnectAsync(string uri, CancellationToken cancellationToken = default) =>
        ConnectAsync(CoapUri.FromString(uri), cancellationToken);

    /// <summary>Agrees on keys with a server, as the Responder.</summary>
    /// <param name="uri">Scheme and authority of the server, such as <c>coap://[2001:db8::1]</c>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The session. Derive the keys that you need, and dispose it.</returns>
    /// <exception cref="ArgumentException">It is not an absolute CoAP URI.</exception>
    /// <exception cref="EdhocException">
    /// The server is not trusted, is not the expected one, refused, or sent an invalid message.
    /// </exception>
    /// <exception cref="CoapException">No response came; the derived type has the reason.</exception>
    /// <remarks>
    /// The client checks which server it reached (<see cref="EdhocClientOptions.ExpectServer(CoapUri, object)"/>) before it adds a security
    /// context. This role protects the identity of the server against active attackers, instead of that of the client (RFC 9528 appendix
    /// A.2.2). The server has to allow it.
    /// </remarks>
    public async Task<EdhocResult> ConnectReverseAsync(CoapUri uri, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(uri);
        CoapUri.RequireCoap(uri, nameof(uri));
        using EdhocResponder responder = new(_options.Settings, _credentials);
        ReadOnlyMemory<byte> first = await PostAsync(uri, [], cancellationToken).ConfigureAwait(false);
        byte[] ownId = [];
        try
        {
            IReadOnlyList<EdhocEad> firstEad = responder.ReadMessage1(first);
            byte[] peerId = responder.PeerConnectionId.ToArray();
            ownId = _identifiers.Next(peerId);
            byte[] second = responder.CreateMessage2(ownId, await EadAsync(2, firstEad, null, cancellationToken).ConfigureAwait(false));
            ReadOnlyMemory<byte> third =
                await PostAsync(uri, RequestPayload.Later(peerId, second), cancellationToken).ConfigureAwait(false);
            EdhocClaimedPeerIdentity claim = responder.ReadMessage3(third);
            EdhocResult session = responder.Complete(await FindAsync(uri, claim, cancellationToken).ConfigureAwait(false));
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
        catch (EdhocException exception) when (!exception.IsOfPeer && responder.ClaimedConnectionId.Length > 0)
        {
            await ReportAsync(uri, responder.ClaimedConnectionId.ToArray(), exception).ConfigureAwait(false);
            throw;
        }
        finally
        {
            _running.TryRemove(Key(ownId), out _);
        }
    }

    /// <inheritdoc cref="ConnectReverseAsync(CoapUri, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public Task<EdhocResult> ConnectReverseAsync(string uri, CancellationToken cancellationToken = default) =>
        ConnectReverseAsync(CoapUri.FromString(uri), cancellationToken);

    private static string Key(ReadOnlySpan<byte> id) => Convert.ToHexString(id);

    private async Task<EdhocResult> InitiateAsync(CoapUri uri, IReadOnlyList<int>? suites, CancellationToken cancellationToken)
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

    private async Task<EdhocResult> InitiateAsync(
        CoapUri uri, byte[] id, IReadOnlyList<int>? suites, CancellationToken cancellationToken)
    {
        using EdhocInitiator initiator = new(_options.Settings, _options.Method, _credentials, id, suites);
        byte[] first = initiator.CreateMessage1(await EadAsync(1, [], null, cancellationToken).ConfigureAwait(false));
        ReadOnlyMemory<byte> second = await PostAsync(uri, RequestPayload.First(first), cancellationToken).ConfigureAwait(false);
        byte[] third;
        try
        {
            EdhocClaimedPeerIdentity claim = initiator.ReadMessage2(second);
            IReadOnlyList<EdhocCredential> candidates = await FindAsync(uri, claim, cancellationToken).ConfigureAwait(false);
            third = initiator.CreateMessage3(candidates, await EadAsync(3, claim.Ead, null, cancellationToken).ConfigureAwait(false));
        }
        catch (EdhocException exception) when (!exception.IsOfPeer && initiator.PeerConnectionId.Length > 0)
        {
            await ReportAsync(uri, initiator.PeerConnectionId.ToArray(), exception).ConfigureAwait(false);
            throw;
        }

        EdhocResult session = initiator.Session;
        return await CompleteAsync(session, async () =>
        {
            if (_options is { CombinesFirstRequest: true, Contexts: not null, RequireMessage4: false }
                && third.Length <= CombinedRequestSender.MaxMessage3)
            {
                AddContext(uri, session, new CombinedRequestSender(third, session));
                return session;
            }

            byte[] payload = RequestPayload.Later(initiator.PeerConnectionId.Span, third);
            ReadOnlyMemory<byte> fourth = await PostAsync(uri, payload, cancellationToken).ConfigureAwait(false);
            if (!fourth.IsEmpty)
            {
                try
                {
                    initiator.ReadMessage4(fourth);
                }
                catch (EdhocException exception) when (!exception.IsOfPeer)
                {
                    await ReportAsync(uri, initiator.PeerConnectionId.ToArray(), exception).ConfigureAwait(false);
                    throw;
                }
            }
            else if (_options.RequireMessage4)
            {
                throw new EdhocException("The server sent no message_4, which this client requires.");
            }

            AddContext(uri, session, null);
            return session;
        }).ConfigureAwait(false);
    }

    // Finds the credentials that the server at the URI may have.
    private async Task<IReadOnlyList<EdhocCredential>> FindAsync(
        CoapUri uri, EdhocClaimedPeerIdentity claim, CancellationToken cancellationToken)
    {
        CoapUri target = uri;
        object? expected = _servers.GetValueOrDefault(ServerUriKey.Of(target));
        EdhocClaimedPeerIdentity asked = new(claim.CredentialId, claim.Ead) { IsServer = true, Target = target, Expected = expected };
        IReadOnlyList<EdhocCredential> found = await _options.Trust.FindAsync(asked, cancellationToken).ConfigureAwait(false);
        EdhocCredential[] fitting = [.. found.Where(one => IsExpected(one, expected))];
        return fitting.Length > 0 || (found.Count == 0 && claim.CredentialId.Kind != EdhocCredentialIdKind.CertificateChain)
            ? fitting
            : throw WrongServer(asked, found.Count > 0);
    }

    private static bool IsExpected(EdhocCredential found, object? expected) =>
        expected is null || found.IsOfTarget
        || (expected is EdhocCredential credential ? credential.IsSame(found) : expected.Equals(found.Identity));

    private static EdhocException WrongServer(EdhocClaimedPeerIdentity claim, bool isTrusted)
    {
        string at = $"{claim.Target!.Scheme}://{claim.Target.Authority}";
        string name = claim.Expected as string ?? ServerUriKey.HostOf(claim.Target);
        const string Places =
            "EdhocClientOptions.ExpectServer, \"servers\" of the file of credentials, Edhoc:Peer of a hosted client, or --edhoc-peer";
        return new EdhocException(isTrusted
            ? $"The server at {at} claims a trusted credential, but not that of the expected peer '{claim.Expected}'. Another device answers "
                + $"there, or the expectation is wrong. Correct it in {Places}."
            : $"This client does not accept the certificate of the server at {at}. A trusted issuer must have signed it. It must be valid "
                + $"now, carry '{name}' as an alternative name, and allow serverAuth if it has an extended key usage. If it is for another "
                + $"name, set that name in {Places}.")
        {
            PeerText = "This side does not accept the credential.",
        };
    }

    private static async Task<EdhocResult> CompleteAsync(EdhocResult session, Func<Task<EdhocResult>> complete)
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

    // Removes the previous context only after the new one is in place, so that no request leaves unprotected in between.
    private void AddContext(CoapUri uri, EdhocResult session, CombinedRequestSender? exchange)
    {
        if (_options.Contexts is not { } contexts)
        {
            return;
        }

        OscoreContext context = session.CreateContext(exchange);
        contexts.Add(uri, context);
        OscoreContext? before = null;
        _made.AddOrUpdate(uri.ToString().TrimEnd('/'), context, (_, old) =>
        {
            before = old;
            return context;
        });
        if (before is not null)
        {
            contexts.RemoveAndWipe(before);
        }
    }

    private ValueTask<IReadOnlyList<EdhocEad>> EadAsync(
        int message, IReadOnlyList<EdhocEad> peerEad, EdhocResult? session, CancellationToken cancellationToken) =>
        _options.CreateEad is { } create
            ? create(new EdhocEadRequest(message, peerEad, session), cancellationToken)
            : new ValueTask<IReadOnlyList<EdhocEad>>([]);

    private async Task<ReadOnlyMemory<byte>> PostAsync(CoapUri uri, byte[] payload, CancellationToken cancellationToken)
    {
        CoapRequest request = MakeRequest(uri, payload);
        CoapResponse response = await _client.SendAsync(request, cancellationToken).ConfigureAwait(false);
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

    // Saves the server the wait for its deadline. The client ignores the answer.
    private async Task ReportAsync(CoapUri uri, byte[] peerId, EdhocException exception)
    {
        CoapRequest request = MakeRequest(uri, RequestPayload.Later(peerId, exception.ToMessage()));
        request.Confirmable = false;
        request.NoResponse = NoResponseClasses.All;
        try
        {
            await _client.SendAsync(request).ConfigureAwait(false);
        }
        catch (CoapException)
        {
            // The error of the session is what the caller needs.
        }
    }

    private CoapRequest MakeRequest(CoapUri uri, byte[] payload)
    {
        CoapRequest request = new(CoapMethod.Post, uri.ToString().TrimEnd('/') + _options.Path);
        if (payload.Length > 0)
        {
            request.Content = new CoapContent(payload, CoapContentFormat.CidEdhocCborSequence);
        }

        return request;
    }
}
