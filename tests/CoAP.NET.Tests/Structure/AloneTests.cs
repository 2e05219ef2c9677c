using Xunit.v3;

namespace CoAP.NET.Tests.Structure;

/// <summary>Tests in virtual time run alone, although the definition of their collection is in another assembly.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class AloneTests
{
    [Fact]
    public void Nothing_runs_beside_a_test_in_virtual_time() =>
        Assert.True(Assert.IsType<IXunitTestCollection>(TestContext.Current.TestCollection, exactMatch: false).DisableParallelization);
}
