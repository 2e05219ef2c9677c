namespace CoAP.NET;

/// <summary>The reason why a payload is not a SenML Pack.</summary>
/// <param name="Offset">The position in bytes. For a rule about a whole record, the start of the record.</param>
/// <param name="Message">The error at that position.</param>
public readonly record struct CoapSenmlError(int Offset, string Message);
