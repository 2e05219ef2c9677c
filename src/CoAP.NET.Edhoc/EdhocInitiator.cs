using System.Security.Cryptography;
using CoAP.NET.Edhoc.Keys;
using CoAP.NET.Edhoc.Messages;
using CoAP.NET.Edhoc.Schedule;

namespace CoAP.NET.Edhoc;

/// <summary>
/// The Initiator of one session of EDHOC (RFC 9528 section 5): bytes in, bytes out. It makes message_1, reads message_2 and says whom the
/// peer claims to be, makes message_3 once it is told which credentials that may be, and reads message_4 where there is one. Not
/// thread-safe. After an error it is of no use any more: begin a new one. <see cref="EdhocClient"/> does it over CoAP.
/// </summary>
public sealed class EdhocInitiator : IDisposable
{
    private readonly EdhocSettings _settings;
    private readonly EdhocOwnCredential _own;
    private readonly EdhocCipherSuite _suite;
    private readonly int[] _suites;
    private readonly byte[] _connectionId;
    private readonly Progress _progress;
    private EdhocPrivateKey? _ephemeral;
    private KeySchedule? _schedule;
    private byte[] _messageOneHash = [];
    private byte[] _peerKey = [];
    private byte[] _peerConnectionId = [];
    private byte[] _plaintext = [];
    private byte[] _proofBytes = [];
    private Proof _proof;
    private IReadOnlyList<EdhocEad> _peerEad = [];
    private EdhocSession? _session;

    /// <summary>Begins a session.</summary>
    /// <param name="settings">Suites and bounds.</param>
    /// <param name="method">How both are to authenticate; both sides have to know it beforehand.</param>
    /// <param name="own">The credentials of this side, of which the first that fits the suite is used.</param>
    /// <param name="connectionId">C_I: an identifier that no other session of this side has, and no recipient of OSCORE.</param>
    /// <param name="peerSuites">The suites that the peer said it supports, in an error with <see
    /// cref="EdhocErrorCode.WrongSelectedCipherSuite"/>; null when nothing is known.</param>
    /// <exception cref="ArgumentException">No credential fits a suite, or the identifier is too long.</exception>
    /// <exception cref="EdhocException">No suite of the peer is supported here.</exception>
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

        EdhocCipherSuite[] usable = [.. Party.Usable(settings, own, EdhocRole.Initiator, method)];
        if (usable.Length == 0)
        {
            throw new ArgumentException(
                $"None of the credentials fits a cipher suite that this platform supports, with method {(int)method}.", nameof(own));
        }

        int selected = peerSuites is null ? 0 : Array.FindIndex(usable, suite => peerSuites.Contains(suite.Number));
        _suite = selected >= 0 ? usable[selected]
            : throw new EdhocException("The peer supports no cipher suite that this side supports.");
        _suites = [.. usable.Take(selected + 1).Select(static suite => suite.Number)];
        _own = Party.Fitting(own, _suite, Party.IsStatic(method, EdhocRole.Initiator))!;
        (_settings, Method, _connectionId) = (settings, method, connectionId.ToArray());
        _progress = new Progress(Wipe);
    }

    /// <summary>How both are to authenticate.</summary>
    public EdhocMethod Method { get; }

    /// <summary>The suite that was selected.</summary>
    public EdhocCipherSuite CipherSuite => _suite;

    /// <summary>C_I.</summary>
    public ReadOnlyMemory<byte> ConnectionId => _connectionId;

    /// <summary>C_R; empty before <see cref="ReadMessage2"/>.</summary>
    public ReadOnlyMemory<byte> PeerConnectionId => _peerConnectionId;

    /// <summary>What came of it. Provisional until the peer has shown that it has the same keys
    /// (<see cref="EdhocSession.IsConfirmed"/>).</summary>
    /// <exception cref="InvalidOperationException">message_3 was not made yet.</exception>
    public EdhocSession Session => _session ?? throw new InvalidOperationException("The session is there once message_3 was made.");

    /// <summary>Makes message_1, with a new ephemeral key.</summary>
    /// <param name="ead">EAD_1, which everybody can read.</param>
    /// <returns>The message.</returns>
    /// <exception cref="InvalidOperationException">It was made already.</exception>
    public byte[] CreateMessage1(params IReadOnlyList<EdhocEad> ead) => _progress.Do(Step.Start, Step.AfterMessage1, () =>
    {
        _ephemeral = EdhocPrivateKey.GenerateEphemeral(_suite.Curve, _settings.Random);
        byte[] message = new MessageOne(Method, _suites, _ephemeral.PublicKey.X.ToArray(), _connectionId, ead).Write();
        _messageOneHash = _suite.Hash.Hash(message);
        return message;
    });

    /// <summary>Reads message_2. What it says is not verified yet: find credentials for it, and go on with
    /// <see cref="CreateMessage3"/>.</summary>
    /// <param name="message">The message, which may be an error message.</param>
    /// <returns>Who the Responder says it is.</returns>
    /// <exception cref="EdhocException">It is wrong, or an error of the peer.</exception>
    /// <exception cref="InvalidOperationException">message_1 was not made, or message_2 was read already.</exception>
    public EdhocClaim ReadMessage2(ReadOnlyMemory<byte> message) =>
        _progress.Do(Step.AfterMessage1, Step.Claimed, () => ReadSecond(message.Span));

    /// <summary>Verifies who the Responder is, and makes message_3.</summary>
    /// <param name="candidates">The credentials that the claim may stand for and that the application trusts; of several the one that the
    /// Responder proves to have. None: the peer is refused.</param>
    /// <param name="ead">EAD_3, which only the Responder can read.</param>
    /// <returns>The message. Send these bytes again where it got lost; it cannot be made twice.</returns>
    /// <exception cref="EdhocException">The Responder is not one of them.</exception>
    /// <exception cref="InvalidOperationException">message_2 was not read, or message_3 was made already.</exception>
    public byte[] CreateMessage3(IReadOnlyList<EdhocCredential> candidates, params IReadOnlyList<EdhocEad> ead)
    {
        ArgumentNullException.ThrowIfNull(candidates);
        return _progress.Do(Step.Claimed, Step.Proven, () =>
        {
            (EdhocCredential credential, byte[] key) = Party.Verify(_proof, _proofBytes, _schedule!, _ephemeral!, candidates, _own);
            _schedule!.Advance(key, _plaintext, credential.Encoded.Span);
            Proof proof = new(false, Party.IsStatic(Method, EdhocRole.Initiator), _own.Id, EadItems.Write(ead), []);
            byte[] plaintext = Party.Write(proof, proof.Make(_schedule, _own, _peerKey, out byte[] next));
            byte[] ciphertext = _schedule.Seal(3, plaintext);
            _schedule.Advance(next, plaintext, _own.Credential.Encoded.Span);
            _session = new EdhocSession(EdhocRole.Initiator, Method, _suite, _schedule.Out())
            {
                PeerCredential = credential,
                OwnCredential = _own,
                OwnConnectionId = _connectionId,
                PeerConnectionId = _peerConnectionId,
                PeerEad = _peerEad,
            };
            _ephemeral!.Dispose();
            return Bytes.Item(ciphertext);
        });
    }

    /// <summary>Reads message_4, which shows that the Responder has the same keys.</summary>
    /// <param name="message">The message, which may be an error message.</param>
    /// <returns>The session.</returns>
    /// <exception cref="EdhocException">It is wrong, or an error of the peer. The session is wiped.</exception>
    /// <exception cref="InvalidOperationException">message_3 was not made, or message_4 was read already.</exception>
    public EdhocSession ReadMessage4(ReadOnlyMemory<byte> message) => _progress.Do(Step.Proven, Step.Complete, () =>
    {
        Party.ThrowIfLong(message.Span, _settings);
        ThrowIfError(message.Span);
        if (!_schedule!.TryOpen(8, Party.ReadOnly(message.Span, "message_4"), out byte[] plaintext))
        {
            throw new EdhocException("message_4 cannot be decrypted.");
        }

        SequenceReader reader = new(plaintext, "PLAINTEXT_4");
        IReadOnlyList<EdhocEad> ead = EadItems.Read(ref reader, _settings.EadLabels);
        _session!.PeerEad = [.. _session.PeerEad, .. ead];
        _session.IsConfirmed = true;
        _schedule.Dispose();
        return _session;
    });

    /// <summary>Wipes what is secret, but for the <see cref="Session"/> if message_3 was made.</summary>
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

    private EdhocClaim ReadSecond(ReadOnlySpan<byte> message)
    {
        Party.ThrowIfLong(message, _settings);
        ThrowIfError(message);
        ReadOnlySpan<byte> bytes = Party.ReadOnly(message, "message_2");
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

        (_proof, _proofBytes, EdhocClaim claim) =
            Party.Read(ref reader, _plaintext, EdhocRole.Responder, Method, _suite, _settings);
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
