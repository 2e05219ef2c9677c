namespace CoAP.NET;

/// <summary>The base of all exceptions that this library throws for what peers and networks do. The message says what happened and what to do.</summary>
public class CoapException : Exception
{
    /// <summary>Makes an exception.</summary>
    public CoapException()
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    public CoapException(string message)
        : base(message)
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
