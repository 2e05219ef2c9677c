namespace CoAP.NET.Testing;

/// <summary>
/// A peer did not get what the test expected. The message says what was expected, what came, and what happened on the network.
/// </summary>
public sealed class ScriptException : Exception
{
    /// <summary>Makes an exception.</summary>
    public ScriptException()
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What was expected and what came.</param>
    public ScriptException(string message)
        : base(message)
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What was expected and what came.</param>
    /// <param name="innerException">What caused it.</param>
    public ScriptException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
