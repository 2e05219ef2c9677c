using Xunit.v3;

namespace CoAP.NET.Tests.Shared;

/// <summary>
/// Tests that publish or restore packages, drive a browser, start a database, kill processes, talk to a peer of another implementation, or
/// run a campaign that takes long or is to find planted defects. They form a group of their own (CONTRIBUTING.md, "Build and test"), and
/// fail where a program is absent.
/// </summary>
/// <param name="starts">What the tests start: names of programs.</param>
[AttributeUsage(AttributeTargets.Assembly | AttributeTargets.Class | AttributeTargets.Method)]
internal sealed class ExternalAttribute(params string[] starts) : Attribute, ITraitAttribute
{
    public IReadOnlyCollection<KeyValuePair<string, string>> GetTraits() =>
        [KeyValuePair.Create("Group", "External"), .. starts.Select(program => KeyValuePair.Create("Starts", program))];
}
