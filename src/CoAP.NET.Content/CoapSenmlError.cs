namespace CoAP.NET;

/// <summary>Why a payload is no SenML Pack.</summary>
/// <param name="Offset">Where, in bytes; for a rule about a whole record, where the record begins.</param>
/// <param name="Message">What is wrong there.</param>
public readonly record struct CoapSenmlError(int Offset, string Message);
