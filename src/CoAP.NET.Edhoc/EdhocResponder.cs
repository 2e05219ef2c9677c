using System.Security.Cryptography;
using CoAP.NET.Edhoc.Keys;
using CoAP.NET.Edhoc.Messages;
using CoAP.NET.Edhoc.Schedule;

namespace CoAP.NET.Edhoc;

/// <summary>The Responder of one EDHOC session (RFC 9528 section 5): bytes in, bytes out.</summary>
/// <remarks>
/// It reads message_1, creates message_2, and reads message_3 and returns the peer's claim. With the matching credentials it returns the
/// session, and it creates message_4 on request. Not thread-safe. After an error it is unusable. <see cref="EdhocServer"/> does this over
/// CoAP.
/// </remarks>
internal sealed class EdhocResponder : IDisposable
{
    private readonly EdhocSettings _settings;
    private readonly IReadOnlyList<EdhocOwnCredential> _credentials;
    private readonly EdhocSessionStateMachine _progress;
    private EdhocMessage1? _first;
    private EdhocCipherSuite? _suite;
    private EdhocOwnCredential? _own;
    private EdhocPrivateKey? _ephemeral;
    private KeySchedule? _schedule;
    private byte[] _messageOneHash = [];
    private byte[] _connectionId = [];
    private byte[] _plaintext = [];
    private byte[] _proofBytes = [];
    private SignatureOrMac _proof;
    private IReadOnlyList<EdhocEad> _peerEad = [];

    /// <summary>Begins a session.</summary>
    /// <param name="settings">Cipher suites and limits.</param>
    /// <param name="own">
    /// This side's own credentials; the Responder uses the first one that fits method and suite. They also determine the supported methods:
    /// those that one of them fits.
    /// </param>
    public EdhocResponder(EdhocSettings settings, IReadOnlyList<EdhocOwnCredential> own)
    {
        ArgumentNullException.ThrowIfNull(settings);
        ArgumentNullException.ThrowIfNull(own);
        (_settings, _credentials) = (settings, own);
        _progress = new EdhocSessionStateMachine(Wipe);
    }

    /// <summary>The authentication method.</summary>
    /// <exception cref="InvalidOperationException">message_1 is not read yet.</exception>
    public EdhocMethod Method => First.Method;

    /// <summary>The suite that the Initiator selected.</summary>
    /// <exception cref="InvalidOperationException">message_1 is not read yet.</exception>
    public EdhocCipherSuite CipherSuite => First is not null ? _suite! : null!;

    /// <summary>C_I, from which C_R has to differ.</summary>
    /// <exception cref="InvalidOperationException">message_1 is not read yet.</exception>
    public ReadOnlyMemory<byte> PeerConnectionId => First.ConnectionId;

    /// <summary>C_I of a message_1, also of one that was refused afterwards; empty without one.</summary>
    public ReadOnlyMemory<byte> ClaimedConnectionId { get; private set; }

    /// <summary>C_R; empty before <see cref="CreateMessage2"/>.</summary>
    public ReadOnlyMemory<byte> ConnectionId => _connectionId;

    private EdhocMessage1 First => _first ?? throw new InvalidOperationException("message_1 is not read yet. Call ReadMessage1 first.");

    /// <summary>Reads message_1, without computing a key yet.</summary>
    /// <returns>EAD_1, with labels that the application knows. Not authenticated.</returns>
    /// <exception cref="EdhocException">It is invalid, or its suite is not supported.</exception>
    /// <exception cref="InvalidOperationException">message_1 is already read.</exception>
    public IReadOnlyList<EdhocEad> ReadMessage1(ReadOnlyMemory<byte> message) =>
        _progress.Do(EdhocSessionPhase.Start, EdhocSessionPhase.AfterMessage1, () => ReadFirst(message.Span));

    /// <summary>Creates message_2, with a new ephemeral key.</summary>
    /// <param name="connectionId">
    /// C_R: an identifier that no other session of this side and no OSCORE recipient uses, and that differs from the Initiator's.
    /// </param>
    /// <param name="ead">EAD_2, encrypted for a peer whose identity is unknown yet.</param>
    /// <returns>The message.</returns>
    /// <exception cref="ArgumentException">The identifier is that of the Initiator, or too long.</exception>
    /// <exception cref="EdhocException">The ephemeral key of message_1 is not valid.</exception>
    /// <exception cref="InvalidOperationException">message_1 is not read, or message_2 already exists.</exception>
    public byte[] CreateMessage2(ReadOnlyMemory<byte> connectionId, params IReadOnlyList<EdhocEad> ead)
    {
        if (connectionId.Length > _settings.MaxConnectionIdLength || connectionId.Span.SequenceEqual(First.ConnectionId))
        {
            throw new ArgumentException(
                $"The identifier is that of the Initiator, or has more than {_settings.MaxConnectionIdLength} bytes.",
                nameof(connectionId));
        }

        return _progress.Do(EdhocSessionPhase.AfterMessage1, EdhocSessionPhase.AfterMessage2, () =>
        {
            _connectionId = connectionId.ToArray();
            _ephemeral = EdhocPrivateKey.GenerateEphemeral(_suite!.Curve, _settings.Random);
            byte[] shared = _ephemeral.Agree(First.PublicKey);
            _schedule = new KeySchedule(_suite, _messageOneHash, _ephemeral.PublicKey.X.Span, shared);
            CryptographicOperations.ZeroMemory(shared);
            byte[] identifier = Identifiers.Item(_connectionId);
            SignatureOrMac proof =
                new(true, EdhocPlaintextProcessor.IsStatic(Method, EdhocRole.Responder), _own!.Id, EadItems.Write(ead), identifier);
            byte[] plaintext = EdhocPlaintextProcessor.Write(proof, proof.Make(_schedule, _own, First.PublicKey, out byte[] next));
            byte[] ciphertext = _schedule.Mask(plaintext);
            _schedule.Advance(next, plaintext, _own.Credential.Encoded.Span);
            return CborItemEncoder.Item([.. _ephemeral.PublicKey.X.Span, .. ciphertext]);
        });
    }

    /// <summary>Reads message_3. Find credentials for its claim, and continue with <see cref="Complete"/>.</summary>
    /// <param name="message">The message, which may be an error message.</param>
    /// <returns>The identity that the Initiator claims.</returns>
    /// <exception cref="EdhocException">It is invalid, or an error of the peer.</exception>
    /// <exception cref="InvalidOperationException">There is no message_2, or message_3 is already read.</exception>
    public EdhocClaimedPeerIdentity ReadMessage3(ReadOnlyMemory<byte> message) =>
        _progress.Do(EdhocSessionPhase.AfterMessage2, EdhocSessionPhase.Claimed, () => ReadThird(message.Span));

    /// <summary>Verifies the Initiator's identity.</summary>
    /// <param name="candidates">
    /// The trusted credentials that match the claim; the Initiator has to prove one of them. None refuses the peer.
    /// </param>
    /// <returns>The session.</returns>
    /// <exception cref="EdhocException">The Initiator has none of them.</exception>
    /// <exception cref="InvalidOperationException">message_3 is not read, or the session already exists.</exception>
    public EdhocResult Complete(IReadOnlyList<EdhocCredential> candidates)
    {
        ArgumentNullException.ThrowIfNull(candidates);
        return _progress.Do(EdhocSessionPhase.Claimed, EdhocSessionPhase.Proven, () =>
        {
            (EdhocCredential credential, byte[] key) =
                EdhocPlaintextProcessor.Verify(_proof, _proofBytes, _schedule!, _ephemeral!, candidates, _own!);
            _schedule!.Advance(key, _plaintext, credential.Encoded.Span);
            _ephemeral!.Dispose();
            return new EdhocResult(EdhocRole.Responder, Method, _suite!, _schedule.Out())
            {
                PeerCredential = credential,
                OwnCredential = _own!,
                OwnConnectionId = _connectionId,
                PeerConnectionId = First.ConnectionId,
                PeerEad = _peerEad,
                IsConfirmed = true,
            };
        });
    }

    /// <summary>Creates message_4, which proves to the Initiator that this side has the same keys.</summary>
    /// <param name="ead">EAD_4, which only the Initiator can read.</param>
    /// <returns>The message.</returns>
    /// <exception cref="InvalidOperationException">The Initiator is not verified, or message_4 already exists.</exception>
    public byte[] CreateMessage4(params IReadOnlyList<EdhocEad> ead) =>
        _progress.Do(EdhocSessionPhase.Proven, EdhocSessionPhase.Complete, () =>
    {
        byte[] message = CborItemEncoder.Item(_schedule!.Seal(8, EadItems.Write(ead)));
        _schedule.Dispose();
        return message;
    });

    /// <summary>Wipes all secrets, except the session if there is one.</summary>
    public void Dispose()
    {
        _progress.End();
        Wipe();
    }

    private IReadOnlyList<EdhocEad> ReadFirst(ReadOnlySpan<byte> message)
    {
        EdhocPlaintextProcessor.ThrowIfLong(message, _settings);
        SequenceReader reader = new(message, "message_1");
        EdhocMessage1 first = EdhocMessage1.Read(ref reader, _settings.MaxConnectionIdLength);
        ClaimedConnectionId = first.ConnectionId;
        EdhocPlaintextProcessor.ThrowIfUnknown(first.Method);
        EdhocCipherSuite[] usable = [.. EdhocPlaintextProcessor.Usable(_settings, _credentials, EdhocRole.Responder, first.Method)];
        if (usable.Length == 0)
        {
            throw new EdhocException("The method of message_1 is not supported here.");
        }

        // The selected suite has to be the first of the Initiator's that this side supports (RFC 9528 section 5.2.3).
        int chosen = Array.Find(first.Suites, number => Array.Exists(usable, suite => suite.Number == number));
        if (chosen != first.Selected || !Array.Exists(usable, suite => suite.Number == first.Selected)
            || Array.IndexOf(first.Suites, chosen) != first.Suites.Length - 1)
        {
            throw new EdhocException(
                EdhocErrorCode.WrongSelectedCipherSuite,
                "The Initiator selected a cipher suite that is not the first of its own that this side supports.",
                [.. usable.Select(static suite => suite.Number)]);
        }

        _suite = EdhocCipherSuite.Find(chosen)!;
        if (first.PublicKey.Length != Curves.KeyLength(_suite.Curve))
        {
            throw reader.Fault("has an ephemeral key of a wrong length");
        }

        _own = EdhocPlaintextProcessor.Fitting(_credentials, _suite, EdhocPlaintextProcessor.IsStatic(first.Method, EdhocRole.Responder));
        _peerEad = EadItems.Read(ref reader, _settings.EadLabels);
        _messageOneHash = _suite.Hash.Hash(message);
        _first = first;
        return _peerEad;
    }

    private EdhocClaimedPeerIdentity ReadThird(ReadOnlySpan<byte> message)
    {
        EdhocPlaintextProcessor.ThrowIfLong(message, _settings);
        if (ErrorMessage.IsError(message))
        {
            throw ErrorMessage.Read(message);
        }

        if (!_schedule!.TryOpen(3, EdhocPlaintextProcessor.ReadOnly(message, "message_3"), out _plaintext))
        {
            throw new EdhocException("message_3 does not decrypt.");
        }

        SequenceReader reader = new(_plaintext, "PLAINTEXT_3");
        (_proof, _proofBytes, EdhocClaimedPeerIdentity claim) =
            EdhocPlaintextProcessor.Read(ref reader, _plaintext, EdhocRole.Initiator, Method, _suite!, _settings);
        _peerEad = [.. _peerEad, .. claim.Ead];
        return claim;
    }

    private void Wipe()
    {
        _ephemeral?.Dispose();
        _schedule?.Dispose();
        CryptographicOperations.ZeroMemory(_plaintext);
    }
}
