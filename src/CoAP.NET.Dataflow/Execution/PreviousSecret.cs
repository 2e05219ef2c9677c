namespace CoAP.NET.Execution;

/// <summary>The secret that <see cref="CoapMultiProcessOptions.SharedSecret"/> replaces.</summary>
/// <param name="Secret">The secret. The endpoint copies it.</param>
/// <param name="IsUsed">Whether new values are made with it, because another process has only this one. Called by any thread.</param>
internal sealed record PreviousSecret(ReadOnlyMemory<byte> Secret, Func<bool> IsUsed);
