namespace CoAP.NET;

/// <summary>A text is not a CoAP URI.</summary>
/// <remarks>The message says what is wrong, at which position, and what to do.</remarks>
public sealed class CoapUriException : FormatException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="position">The index of the first character that is wrong, from 0.</param>
    public CoapUriException(string message, int position)
        : base(message)
    {
        Position = position;
    }

    /// <summary>The index of the first wrong character, from 0.</summary>
    public int Position { get; }
}
