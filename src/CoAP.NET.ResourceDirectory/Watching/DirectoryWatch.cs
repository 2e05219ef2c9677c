using CoAP.NET.Guarding;

namespace CoAP.NET.ResourceDirectory;

/// <summary>A look-up that somebody observes.</summary>
internal sealed class DirectoryWatch
{
    private const long Young = 10_000;

    private readonly long _madeAt;

    /// <summary>Makes one.</summary>
    /// <param name="key">What is looked up.</param>
    /// <param name="lookUp">The look-up.</param>
    /// <param name="source">Whose share it takes: of whoever observed it first.</param>
    /// <param name="isVerified">Whether that has shown that it receives at its address.</param>
    /// <param name="madeAt">When it was made, in milliseconds of the index.</param>
    public DirectoryWatch(string key, LookUp lookUp, CoapSource source, bool isVerified, long madeAt)
    {
        (Key, LookUp, Source, IsVerified, _madeAt) = (key, lookUp, source, isVerified, madeAt);
        Holding = new SourceLedger<DirectoryWatch>.Holding(this, source);
    }

    /// <summary>What is looked up.</summary>
    public string Key { get; }

    /// <summary>The look-up.</summary>
    public LookUp LookUp { get; }

    /// <summary>Whose share it takes.</summary>
    public CoapSource Source { get; }

    /// <summary>Whether whoever observed it first had shown that he receives at his address.</summary>
    public bool IsVerified { get; }

    /// <summary>The place that it takes.</summary>
    public SourceLedger<DirectoryWatch>.Holding Holding { get; }

    /// <summary>Whether it had to give way.</summary>
    public bool IsDisplaced { get; set; }

    /// <summary>Who observes it.</summary>
    public CoapObserverTerms Terms { get; } = new();

    /// <summary>What observers were told last; null before the first answer.</summary>
    public CoapETag? Told { get; set; }

    /// <summary>Whether its result may be another one than what observers were told.</summary>
    public bool IsDirty { get; set; }

    /// <summary>Whether its first answer may still be on its way. Observers that were put back after a restart get none.</summary>
    /// <param name="now">Now, in milliseconds of the index.</param>
    public bool IsYoung(long now) => now - _madeAt <= Young;

    /// <summary>Whether nobody observes it, nor is about to.</summary>
    /// <param name="now">Now, in milliseconds of the index.</param>
    public bool IsOver(long now) => Terms.Count == 0 && !IsYoung(now);
}
