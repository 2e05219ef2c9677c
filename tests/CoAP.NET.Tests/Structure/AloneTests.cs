using Xunit.v3;

namespace CoAP.NET.Tests.Structure;

/// <summary>Tests in virtual time run alone, although the definition of their collection is in another assembly.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class AloneTests
{
    [Fact]
    public void Tests_in_virtual_time_do_not_run_in_parallel() =>
        Assert.True(Assert.IsType<IXunitTestCollection>(TestContext.Current.TestCollection, exactMatch: false).DisableParallelization);
}
