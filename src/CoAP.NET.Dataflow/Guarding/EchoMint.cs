using CoAP.NET.Options;

namespace CoAP.NET.Guarding;

/// <summary>
/// Makes the values of Echo options and recognizes its own (RFC 9175): a value proves that the peer receives at its address, and how old a
/// request can be at most. Nothing is kept for a value. Thread-safe.
/// </summary>
internal abstract class EchoMint : IDisposable
{
    private const int HeadOfOption = 4;

    /// <summary>Makes the mint of an endpoint: one for this process only, or one that all processes with its secret share.</summary>
    public static EchoMint Create(CoapEnvironment environment) =>
        environment.Secret is { } secret ? new SharedEcho(environment, secret) : new LocalEcho(environment);

    /// <summary>The maximum number of bytes that the option takes in a message.</summary>
    public int OptionSize => HeadOfOption + Length;

    /// <summary>The length of each value in bytes.</summary>
    protected abstract int Length { get; }

    /// <summary>Puts a new value into a response; none after <see cref="Dispose"/>.</summary>
    /// <param name="response">The response.</param>
    /// <param name="peer">To whom it goes.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public void AddTo(CoapMessage response, CoapChannel peer, long now)
    {
        Span<byte> value = stackalloc byte[Length];
        if (TryMake(value, peer, now))
        {
            response.Options.Remove(OptionNumber.Echo);
            response.Options.Add(OptionNumber.Echo, value);
        }
    }

    /// <summary>Whether a value was made by this mint for this peer, and how long ago at most.</summary>
    /// <param name="value">The value.</param>
    /// <param name="peer">Who sent it back.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="age">Its age, rounded up to milliseconds; never less than it is.</param>
    public bool TryGetAge(ReadOnlySpan<byte> value, CoapChannel peer, long now, out TimeSpan age)
    {
        age = default;
        return value.Length == Length && TryVerify(value, peer, now, out age);
    }

    /// <summary>Wipes keys that others know as well.</summary>
    public abstract void Dispose();

    /// <summary>Writes a value; false after the end.</summary>
    protected abstract bool TryMake(Span<byte> value, CoapChannel peer, long now);

    /// <summary>Checks a value of the right length.</summary>
    protected abstract bool TryVerify(ReadOnlySpan<byte> value, CoapChannel peer, long now, out TimeSpan age);
}
