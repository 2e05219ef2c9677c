namespace CoAP.NET.ResourceDirectory;

/// <summary>How far a look-up may go.</summary>
/// <param name="MaxResults">How many results an answer may have.</param>
/// <param name="MaxBytes">How many bytes it may have.</param>
/// <param name="MaxScanned">How many registrations it may look at in one step.</param>
internal readonly record struct LookUpBounds(int MaxResults, int MaxBytes, int MaxScanned);
