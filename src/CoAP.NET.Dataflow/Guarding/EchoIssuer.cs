namespace CoAP.NET.Guarding;

/// <summary>
/// Creates and verifies Echo option values (RFC 9175). A value proves that the peer receives at its address, and limits the age of a
/// request. Nothing is stored for a value. Thread-safe.
/// </summary>
internal abstract class EchoIssuer : IDisposable
{
    private const int HeadOfOption = 4;

    /// <summary>Creates the mint of an endpoint: for this process only, or shared by all processes with its secret.</summary>
    public static EchoIssuer Create(CoapEnvironment environment) =>
        environment.Secret is { } secret ? new SharedEchoIssuer(environment, secret) : new LocalEchoIssuer(environment);

    /// <summary>The maximum number of bytes that the option takes in a message.</summary>
    public int OptionSize => HeadOfOption + Length;

    /// <summary>The length of each value in bytes.</summary>
    protected abstract int Length { get; }

    /// <summary>Adds a new value to a response; none after <see cref="Dispose"/>.</summary>
    /// <param name="response">The response.</param>
    /// <param name="peer">The receiver.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public void AddTo(CoapMessage response, CoapChannel peer, long now)
    {
        Span<byte> value = stackalloc byte[Length];
        if (TryMake(value, peer, now))
        {
            response.Options.Remove(OptionNumber.Echo);
            response.Options.Add(OptionNumber.Echo, value);
        }
    }

    /// <summary>Verifies that this mint made a value for this peer, and returns its maximum age.</summary>
    /// <param name="value">The value.</param>
    /// <param name="peer">The sender of the value.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="age">The age, rounded up to milliseconds; never less than the real one.</param>
    public bool TryGetAge(ReadOnlySpan<byte> value, CoapChannel peer, long now, out TimeSpan age)
    {
        age = default;
        return value.Length == Length && TryVerify(value, peer, now, out age);
    }

    /// <summary>Wipes shared keys.</summary>
    public abstract void Dispose();

    /// <summary>Writes a value; false after disposal.</summary>
    protected abstract bool TryMake(Span<byte> value, CoapChannel peer, long now);

    /// <summary>Checks a value of the right length.</summary>
    protected abstract bool TryVerify(ReadOnlySpan<byte> value, CoapChannel peer, long now, out TimeSpan age);
}
