namespace CoAP.NET.Testing;

/// <summary>Thrown when a peer did not receive what the test expected.</summary>
/// <remarks>The message has the expectation, the received datagram and the events on the network.</remarks>
public sealed class ScriptExpectationException : Exception
{
    /// <summary>Creates an exception.</summary>
    public ScriptExpectationException()
    {
    }

    /// <summary>Creates an exception with a message.</summary>
    /// <param name="message">The expectation and the received datagram.</param>
    public ScriptExpectationException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an exception with a message and a cause.</summary>
    /// <param name="message">The expectation and the received datagram.</param>
    /// <param name="innerException">The cause.</param>
    public ScriptExpectationException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
