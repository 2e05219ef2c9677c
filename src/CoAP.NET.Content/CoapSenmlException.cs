namespace CoAP.NET;

/// <summary>A payload is no SenML Pack (RFC 8428). <see cref="Error"/> says what is wrong at which offset.</summary>
public sealed class CoapSenmlException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="error">What is wrong where.</param>
    public CoapSenmlException(CoapSenmlError error)
        : base($"The payload is no SenML Pack: {error.Message} (offset {error.Offset}).") => Error = error;

    /// <summary>What is wrong where.</summary>
    public CoapSenmlError Error { get; }
}
