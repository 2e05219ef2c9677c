using CoAP.NET.Load.Observing;

namespace CoAP.NET.Load.Tests;

public sealed class ChangeDeliveryTrackerTests
{
    private static readonly long s_millisecond = TimeProvider.System.TimestampFrequency / 1000;

    [Fact]
    public void An_observer_that_gets_a_number_counts_as_having_all_earlier_numbers()
    {
        ChangeDeliveryTracker book = new();
        book.Begin(5, 0, 2, isMeasured: true);
        book.Begin(6, 10 * s_millisecond, 2, isMeasured: true);
        book.See(4, 6, 20 * s_millisecond);
        Assert.Equal(2, book.Times.Count);
        Assert.Equal((20_000_000, 30_000_000), (book.Times.Longest, (long)book.Times.Sum));
        Assert.Equal(0, book.LastTimes.Count);
        book.See(-1, 5, 30 * s_millisecond);
        book.See(5, 6, 50 * s_millisecond);
        Assert.Equal((2, 70_000_000), (book.LastTimes.Count, (long)book.LastTimes.Sum));
        Assert.Equal((4, 2), (book.Times.Count, book.Measured));
    }

    [Fact]
    public void Changes_during_the_warm_up_are_tracked_but_not_measured()
    {
        ChangeDeliveryTracker book = new();
        book.Begin(1, 0, 1, isMeasured: false);
        book.See(0, 1, s_millisecond);
        Assert.Equal((0, 0, 0, 1), (book.Times.Count, book.LastTimes.Count, book.Measured, book.SecondTimes.Count));
    }

    [Fact]
    public void A_failed_change_is_not_counted_unless_an_observer_got_it()
    {
        ChangeDeliveryTracker book = new();
        book.Begin(1, 0, 2, isMeasured: true);
        book.Fail(1);
        book.Begin(2, 0, 2, isMeasured: true);
        book.See(0, 2, s_millisecond);
        book.Fail(2);
        book.See(0, 2, s_millisecond);
        Assert.Equal((2, 1, 1), (book.Times.Count, book.LastTimes.Count, book.Measured));
    }

    [Fact]
    public void Numbers_that_were_never_assigned_are_ignored()
    {
        ChangeDeliveryTracker book = new();
        book.See(0, 3, s_millisecond);
        book.Begin(10, 0, 1, isMeasured: true);
        book.See(3, 9, s_millisecond);
        Assert.Equal(0, book.Times.Count);
        book.See(9, 1_000_000_000, s_millisecond);
        Assert.Equal(1, book.Times.Count);
    }

    [Fact]
    public void The_newest_changes_are_kept_when_there_are_very_many()
    {
        ChangeDeliveryTracker book = new();
        for (long number = 1; number <= 200_000; number++)
        {
            book.Begin(number, 0, 1, isMeasured: true);
        }

        book.See(0, 200_000, s_millisecond);
        Assert.Equal((65_536, 200_000), (book.Times.Count, book.Measured));
    }
}
