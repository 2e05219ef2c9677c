using System.Security.Cryptography;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// A Return Routability Check of one path (RFC 9853): up to <see cref="MaxChallenges"/> challenges and their answer. Thread-safe.
/// </summary>
/// <param name="path">The path to check.</param>
internal sealed class ReturnRoutabilityCheck(DtlsPath path)
{
    /// <summary>Bytes of a message: its type and a cookie.</summary>
    public const int MessageLength = 1 + sizeof(ulong);

    /// <summary>Maximum number of challenges.</summary>
    public const int MaxChallenges = 3;

    /// <summary>The time without an answer after which another challenge goes out; it doubles each time.</summary>
    public static readonly TimeSpan FirstWait = TimeSpan.FromSeconds(1);

    private const byte PathChallenge = 0;
    private const byte PathResponse = 1;
    private const byte PathDrop = 2;

    private readonly byte[] _cookies = new byte[MaxChallenges * sizeof(ulong)];
    private readonly TaskCompletionSource<bool> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _count;

    /// <summary>The path to check.</summary>
    public DtlsPath Path => path;

    /// <summary>Whether the peer receives on this path and prefers it; incomplete until it answers.</summary>
    public Task<bool> Answer => _answer.Task;

    /// <summary>Writes the next challenge. At most <see cref="MaxChallenges"/> times.</summary>
    /// <param name="random">Creates its cookie.</param>
    /// <param name="message">Receives <see cref="MessageLength"/> bytes.</param>
    public void WriteChallenge(CoapRandomSource random, Span<byte> message)
    {
        Span<byte> cookie = _cookies.AsSpan(_count * sizeof(ulong), sizeof(ulong));
        random.Fill(cookie);
        message[0] = PathChallenge;
        cookie.CopyTo(message[1..]);

        // After the cookie: an answer may arrive on another thread.
        Volatile.Write(ref _count, _count + 1);
    }

    /// <summary>Handles an answer to a challenge. Others are ignored.</summary>
    /// <param name="message">The message.</param>
    /// <param name="from">The path that it came from.</param>
    public void OnAnswer(ReadOnlySpan<byte> message, in DtlsPath from)
    {
        bool isAnswered = false;
        for (int i = Volatile.Read(ref _count) - 1; i >= 0; i--)
        {
            isAnswered |= CryptographicOperations.FixedTimeEquals(message[1..], _cookies.AsSpan(i * sizeof(ulong), sizeof(ulong)));
        }

        // The answer of a peer that no longer uses the path comes over another one.
        if (isAnswered && message[0] == PathDrop)
        {
            _answer.TrySetResult(false);
        }
        else if (isAnswered && message[0] == PathResponse && from.Remote == path.Remote)
        {
            _answer.TrySetResult(true);
        }
    }

    /// <summary>Writes the answer to a challenge of the peer.</summary>
    /// <param name="challenge">The message of the peer.</param>
    /// <param name="isPreferred">Whether this end sends on the path of the challenge.</param>
    /// <param name="message">Receives <see cref="MessageLength"/> bytes.</param>
    /// <returns>False if the message is not a challenge.</returns>
    public static bool TryWriteAnswer(ReadOnlySpan<byte> challenge, bool isPreferred, Span<byte> message)
    {
        if (challenge.Length != MessageLength || challenge[0] != PathChallenge)
        {
            return false;
        }

        challenge.CopyTo(message);
        message[0] = isPreferred ? PathResponse : PathDrop;
        return true;
    }
}
