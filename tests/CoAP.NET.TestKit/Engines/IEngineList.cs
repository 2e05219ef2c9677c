namespace CoAP.NET.Tests.Engines;

/// <summary>The engines of a test project, by name: tests of all engines run over those of each list.</summary>
public interface IEngineList
{
    /// <summary>Those that carry datagrams which a test can lose.</summary>
    static abstract TheoryData<string> Datagrams { get; }

    static abstract TheoryData<string> All { get; }

    static abstract TestEngine Make(string name);
}
