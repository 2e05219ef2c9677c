namespace CoAP.NET;

/// <summary>The base class of all exceptions that this library throws because of peers and networks.</summary>
/// <remarks>The message says what happened and what to do. Programs that react to the reason look at <see cref="Error"/>.</remarks>
/// <example>
/// <code>
/// try
/// {
///     await client.PutAsync("coap://[::1]/setpoint", CoapContent.Text("21"), cancellationToken);
/// }
/// catch (CoapException exception)
/// {
///     Console.Error.WriteLine($"{exception.Error}: {exception.Message}");
/// }
/// </code>
/// </example>
public class CoapException : Exception
{
    /// <summary>Creates an exception.</summary>
    public CoapException()
    {
    }

    /// <summary>Creates an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    public CoapException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">The cause.</param>
    public CoapException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    /// <summary>Creates an exception with its reason.</summary>
    /// <param name="error">The reason.</param>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">The cause; null for none.</param>
    public CoapException(CoapError error, string message, Exception? innerException = null)
        : base(message, innerException) => Error = error;

    /// <summary>The reason. Default <see cref="CoapError.Unspecified"/>.</summary>
    public CoapError Error { get; }

    /// <summary>Whether a request that changes state was sent and may have taken effect: read the state before repeating it.</summary>
    /// <remarks>False by default.</remarks>
    public virtual bool IsOutcomeUnknown { get; init; }

    /// <summary>
    /// The time to wait before the request is sent again, counted from this exception. Null if the server did not say.
    /// </summary>
    /// <remarks>
    /// The server answered 4.29 (RFC 8516) or 5.03, whose Max-Age it is; or it asked for no new connection (Hold-Off, RFC 8323 section
    /// 5.5).
    /// </remarks>
    public TimeSpan? RetryAfter { get; init; }
}
