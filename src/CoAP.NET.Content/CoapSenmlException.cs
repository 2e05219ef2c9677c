namespace CoAP.NET;

/// <summary>Thrown when a payload is not a SenML Pack (RFC 8428). <see cref="Error"/> has the error and its position.</summary>
public sealed class CoapSenmlException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="error">The error and its position.</param>
    public CoapSenmlException(CoapSenmlError error)
        : base($"The payload is not a SenML Pack: {error.Message} (offset {error.Offset}).") => Error = error;

    /// <summary>The error and its position.</summary>
    public CoapSenmlError Error { get; }
}
