namespace CoAP.NET.Oscore;

/// <summary>What <see cref="OscoreSequence.TryTake"/> says.</summary>
internal enum OscoreNumber : byte
{
    /// <summary>A number was taken; nobody else gets it.</summary>
    Taken,

    /// <summary>The store has not confirmed the next numbers yet: wait with <see cref="OscoreSequence.WaitAsync"/> and try again.</summary>
    NotGranted,

    /// <summary>There is none; <see cref="OscoreSequence.Refusal"/> says why. Nothing may be sent.</summary>
    Refused,
}
