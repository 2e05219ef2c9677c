namespace AlwaysThere;

/// <summary>What devices in the field do that ends observations elsewhere.</summary>
internal enum Quirk
{
    /// <summary>It behaves.</summary>
    None,

    /// <summary>It reboots and forgets who observes it, without a word.</summary>
    ForgetsObservers,

    /// <summary>It answers Confirmable requests by Non-confirmable messages, without an acknowledgement.</summary>
    AnswersNonToCon,

    /// <summary>It resets whatever asks or keeps alive, for an hour.</summary>
    ResetsRequests,

    /// <summary>Its resource is not there while it boots: 4.04 for twenty minutes.</summary>
    NotFoundWhileBooting,

    /// <summary>It has no power for a night of eight hours.</summary>
    AwayForANight,

    /// <summary>It reboots, and counts its notifications from 0 again for the same observer.</summary>
    CountsFromZero,

    /// <summary>It comes back at another address.</summary>
    NewAddress,

    /// <summary>It sends an older notification behind a newer one.</summary>
    SendsOldStates,

    /// <summary>It answers 5.03 for an hour.</summary>
    Overloaded,
}
