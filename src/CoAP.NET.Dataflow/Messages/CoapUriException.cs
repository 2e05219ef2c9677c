namespace CoAP.NET;

/// <summary>A text is no CoAP URI. The message says what is wrong at which place, and what to do.</summary>
public sealed class CoapUriException : FormatException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="position">The index of the first character that is wrong, from 0.</param>
    public CoapUriException(string message, int position)
        : base(message)
    {
        Position = position;
    }

    /// <summary>The index of the first character that is wrong, from 0.</summary>
    public int Position { get; }
}
