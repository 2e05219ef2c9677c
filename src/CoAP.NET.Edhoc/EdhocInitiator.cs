using System.Security.Cryptography;
using CoAP.NET.Edhoc.Keys;
using CoAP.NET.Edhoc.Messages;
using CoAP.NET.Edhoc.Schedule;

namespace CoAP.NET.Edhoc;

/// <summary>The Initiator of one EDHOC session (RFC 9528 section 5): bytes in, bytes out.</summary>
/// <remarks>
/// It creates message_1, and reads message_2 and returns the peer's claim. With the matching credentials it creates message_3, and it reads
/// message_4 if there is one. Not thread-safe. After an error it is unusable: begin a new one. <see cref="EdhocClient"/> does this over
/// CoAP.
/// </remarks>
internal sealed class EdhocInitiator : IDisposable
{
    private readonly EdhocSettings _settings;
    private readonly EdhocOwnCredential _own;
    private readonly EdhocCipherSuite _suite;
    private readonly int[] _suites;
    private readonly byte[] _connectionId;
    private readonly EdhocSessionStateMachine _progress;
    private EdhocPrivateKey? _ephemeral;
    private KeySchedule? _schedule;
    private byte[] _messageOneHash = [];
    private byte[] _peerKey = [];
    private byte[] _peerConnectionId = [];
    private byte[] _plaintext = [];
    private byte[] _proofBytes = [];
    private SignatureOrMac _proof;
    private IReadOnlyList<EdhocEad> _peerEad = [];
    private EdhocResult? _session;

    /// <summary>Begins a session.</summary>
    /// <param name="settings">Cipher suites and limits.</param>
    /// <param name="method">The authentication method; both sides have to know it in advance.</param>
    /// <param name="own">This side's own credentials; the Initiator uses the first one that fits the suite.</param>
    /// <param name="connectionId">C_I: an identifier that no other session of this side and no OSCORE recipient uses.</param>
    /// <param name="peerSuites">
    /// The suites that the peer reported in an error with <see cref="EdhocErrorCode.WrongSelectedCipherSuite"/>; null if unknown.
    /// </param>
    /// <exception cref="ArgumentException">No credential fits a suite, or the identifier is too long.</exception>
    /// <exception cref="EdhocException">This side supports no suite of the peer.</exception>
    public EdhocInitiator(
        EdhocSettings settings, EdhocMethod method, IReadOnlyList<EdhocOwnCredential> own, ReadOnlyMemory<byte> connectionId,
        IReadOnlyList<int>? peerSuites = null)
    {
        ArgumentNullException.ThrowIfNull(settings);
        ArgumentNullException.ThrowIfNull(own);
        if (!Enum.IsDefined(method))
        {
            throw new ArgumentOutOfRangeException(nameof(method), method, "There are methods 0 to 3.");
        }

        if (connectionId.Length > settings.MaxConnectionIdLength)
        {
            throw new ArgumentException(
                $"The identifier has more than {settings.MaxConnectionIdLength} bytes.", nameof(connectionId));
        }

        EdhocCipherSuite[] usable = [.. EdhocPlaintextProcessor.Usable(settings, own, EdhocRole.Initiator, method)];
        if (usable.Length == 0)
        {
            throw new ArgumentException(
                $"None of the credentials fits a cipher suite that this platform supports, with method {(int)method}.", nameof(own));
        }

        int selected = peerSuites is null ? 0 : Array.FindIndex(usable, suite => peerSuites.Contains(suite.Number));
        _suite = selected >= 0 ? usable[selected]
            : throw new EdhocException("The peer supports no cipher suite that this side supports.");
        _suites = [.. usable.Take(selected + 1).Select(static suite => suite.Number)];
        _own = EdhocPlaintextProcessor.Fitting(own, _suite, EdhocPlaintextProcessor.IsStatic(method, EdhocRole.Initiator))!;
        (_settings, Method, _connectionId) = (settings, method, connectionId.ToArray());
        _progress = new EdhocSessionStateMachine(Wipe);
    }

    public EdhocMethod Method { get; }

    /// <summary>The selected suite.</summary>
    public EdhocCipherSuite CipherSuite => _suite;

    /// <summary>C_I.</summary>
    public ReadOnlyMemory<byte> ConnectionId => _connectionId;

    /// <summary>C_R; empty before <see cref="ReadMessage2"/>.</summary>
    public ReadOnlyMemory<byte> PeerConnectionId => _peerConnectionId;

    /// <summary>
    /// The session. Provisional until the peer has proved that it has the same keys (<see cref="EdhocResult.IsConfirmed"/>).
    /// </summary>
    /// <exception cref="InvalidOperationException">There is no message_3 yet.</exception>
    public EdhocResult Session => _session ?? throw new InvalidOperationException("The session exists after message_3. Call "
        + "CreateMessage3 first.");

    /// <summary>Creates message_1, with a new ephemeral key.</summary>
    /// <param name="ead">EAD_1, which anyone can read.</param>
    /// <returns>The message.</returns>
    /// <exception cref="InvalidOperationException">message_1 already exists.</exception>
    public byte[] CreateMessage1(params IReadOnlyList<EdhocEad> ead) =>
        _progress.Do(EdhocSessionPhase.Start, EdhocSessionPhase.AfterMessage1, () =>
    {
        _ephemeral = EdhocPrivateKey.GenerateEphemeral(_suite.Curve, _settings.Random);
        byte[] message = new EdhocMessage1(Method, _suites, _ephemeral.PublicKey.X.ToArray(), _connectionId, ead).Write();
        _messageOneHash = _suite.Hash.Hash(message);
        return message;
    });

    /// <summary>
    /// Reads message_2. Its content is not verified yet: find credentials for it, and continue with <see cref="CreateMessage3"/>.
    /// </summary>
    /// <param name="message">The message, which may be an error message.</param>
    /// <returns>The identity that the Responder claims.</returns>
    /// <exception cref="EdhocException">It is invalid, or an error of the peer.</exception>
    /// <exception cref="InvalidOperationException">There is no message_1, or message_2 is already read.</exception>
    public EdhocClaimedPeerIdentity ReadMessage2(ReadOnlyMemory<byte> message) =>
        _progress.Do(EdhocSessionPhase.AfterMessage1, EdhocSessionPhase.Claimed, () => ReadSecond(message.Span));

    /// <summary>Verifies the Responder's identity, and creates message_3.</summary>
    /// <param name="candidates">
    /// The trusted credentials that match the claim; the Responder has to prove one of them. None refuses the peer.
    /// </param>
    /// <param name="ead">EAD_3, which only the Responder can read.</param>
    /// <returns>The message. If it is lost, send the same bytes again; you cannot create it twice.</returns>
    /// <exception cref="EdhocException">The Responder has none of them.</exception>
    /// <exception cref="InvalidOperationException">message_2 is not read, or message_3 already exists.</exception>
    public byte[] CreateMessage3(IReadOnlyList<EdhocCredential> candidates, params IReadOnlyList<EdhocEad> ead)
    {
        ArgumentNullException.ThrowIfNull(candidates);
        return _progress.Do(EdhocSessionPhase.Claimed, EdhocSessionPhase.Proven, () =>
        {
            (EdhocCredential credential, byte[] key) =
                EdhocPlaintextProcessor.Verify(_proof, _proofBytes, _schedule!, _ephemeral!, candidates, _own);
            _schedule!.Advance(key, _plaintext, credential.Encoded.Span);
            SignatureOrMac proof =
                new(false, EdhocPlaintextProcessor.IsStatic(Method, EdhocRole.Initiator), _own.Id, EadItems.Write(ead), []);
            byte[] plaintext = EdhocPlaintextProcessor.Write(proof, proof.Make(_schedule, _own, _peerKey, out byte[] next));
            byte[] ciphertext = _schedule.Seal(3, plaintext);
            _schedule.Advance(next, plaintext, _own.Credential.Encoded.Span);
            _session = new EdhocResult(EdhocRole.Initiator, Method, _suite, _schedule.Out())
            {
                PeerCredential = credential,
                OwnCredential = _own,
                OwnConnectionId = _connectionId,
                PeerConnectionId = _peerConnectionId,
                PeerEad = _peerEad,
            };
            _ephemeral!.Dispose();
            return CborItemEncoder.Item(ciphertext);
        });
    }

    /// <summary>Reads message_4, which proves that the Responder has the same keys.</summary>
    /// <param name="message">The message, which may be an error message.</param>
    /// <returns>The session.</returns>
    /// <exception cref="EdhocException">It is invalid, or an error of the peer. The session is wiped.</exception>
    /// <exception cref="InvalidOperationException">There is no message_3, or message_4 is already read.</exception>
    public EdhocResult ReadMessage4(ReadOnlyMemory<byte> message) =>
        _progress.Do(EdhocSessionPhase.Proven, EdhocSessionPhase.Complete, () =>
    {
        EdhocPlaintextProcessor.ThrowIfLong(message.Span, _settings);
        ThrowIfError(message.Span);
        if (!_schedule!.TryOpen(8, EdhocPlaintextProcessor.ReadOnly(message.Span, "message_4"), out byte[] plaintext))
        {
            throw new EdhocException("message_4 does not decrypt.");
        }

        SequenceReader reader = new(plaintext, "PLAINTEXT_4");
        IReadOnlyList<EdhocEad> ead = EadItems.Read(ref reader, _settings.EadLabels);
        _session!.PeerEad = [.. _session.PeerEad, .. ead];
        _session.IsConfirmed = true;
        _schedule.Dispose();
        return _session;
    });

    /// <summary>Wipes all secrets, except the <see cref="Session"/> after message_3.</summary>
    public void Dispose()
    {
        _progress.End();
        _ephemeral?.Dispose();
        _schedule?.Dispose();
        CryptographicOperations.ZeroMemory(_plaintext);
    }

    private static void ThrowIfError(ReadOnlySpan<byte> message)
    {
        if (ErrorMessage.IsError(message))
        {
            throw ErrorMessage.Read(message);
        }
    }

    private EdhocClaimedPeerIdentity ReadSecond(ReadOnlySpan<byte> message)
    {
        EdhocPlaintextProcessor.ThrowIfLong(message, _settings);
        ThrowIfError(message);
        ReadOnlySpan<byte> bytes = EdhocPlaintextProcessor.ReadOnly(message, "message_2");
        int length = Curves.KeyLength(_suite.Curve);
        if (bytes.Length <= length)
        {
            throw new EdhocException("message_2 has no ephemeral key and ciphertext.");
        }

        _peerKey = bytes[..length].ToArray();
        byte[] shared = _ephemeral!.Agree(_peerKey);
        _schedule = new KeySchedule(_suite, _messageOneHash, _peerKey, shared);
        CryptographicOperations.ZeroMemory(shared);
        _plaintext = _schedule.Mask(bytes[length..]);
        SequenceReader reader = new(_plaintext, "PLAINTEXT_2");
        _peerConnectionId = reader.ReadIdentifier("C_R");
        if (_peerConnectionId.Length > _settings.MaxConnectionIdLength || _peerConnectionId.AsSpan().SequenceEqual(_connectionId))
        {
            throw reader.Fault("has a connection identifier that is too long, or that of the Initiator");
        }

        (_proof, _proofBytes, EdhocClaimedPeerIdentity claim) =
            EdhocPlaintextProcessor.Read(ref reader, _plaintext, EdhocRole.Responder, Method, _suite, _settings);
        _peerEad = claim.Ead;
        return claim;
    }

    private void Wipe()
    {
        _ephemeral?.Dispose();
        _schedule?.Dispose();
        _session?.Dispose();
    }
}
